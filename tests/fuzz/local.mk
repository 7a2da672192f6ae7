# SPDX-License-Identifier: MIT
# What reads text from elsewhere, fuzzed: a configuration and a run log. The seeds are a suite of tests/check.
EXTRA_DIST += %D%/runlog
tests_check_SOURCES += %D%/fuzz_config.c %D%/fuzz_config.h %D%/test_fuzz_config.c
if HAVE_JANSSON
tests_check_SOURCES += %D%/fuzz_runlog.c %D%/fuzz_runlog.h %D%/test_fuzz_runlog.c tools/log.c tools/player.c
endif

# Needs clang: make fuzz-config FUZZ_SECONDS=600, or FUZZ_RUNS=1000000 in place of the seconds.
FUZZ = clang -g -O1 -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=undefined -DFUZZER -DHAVE_CONFIG_H \
       -DSINKDIR='"/nowhere"' -std=gnu11 $(AM_CPPFLAGS)
FUZZ_LIMITS = -max_total_time=$${FUZZ_SECONDS:-60} -runs=$${FUZZ_RUNS:--1} -timeout=10 -rss_limit_mb=1024 \
              -print_final_stats=1

fuzz-config:
	$(MKDIR_P) tests/fuzz/corpus-config
	$(FUZZ) $(YAML_CFLAGS) -o tests/fuzz/fuzz_config $(srcdir)/tests/fuzz/fuzz_config.c $(srcdir)/core/*.c \
	    $(srcdir)/config/*.c $(YAML_LIBS) -lm -ldl -lpthread
	tests/fuzz/fuzz_config $(FUZZ_LIMITS) -max_len=4096 tests/fuzz/corpus-config $(srcdir)/tests/config/good \
	    $(srcdir)/tests/config/faulty

fuzz-runlog:
	$(MKDIR_P) tests/fuzz/corpus-runlog
	$(FUZZ) $(YAML_CFLAGS) $(JANSSON_CFLAGS) -o tests/fuzz/fuzz_runlog $(srcdir)/tests/fuzz/fuzz_runlog.c \
	    $(srcdir)/tools/log.c $(srcdir)/tools/player.c $(srcdir)/core/*.c $(srcdir)/config/*.c $(YAML_LIBS) \
	    $(JANSSON_LIBS) -lm -ldl -lpthread
	tests/fuzz/fuzz_runlog $(FUZZ_LIMITS) -max_len=16384 tests/fuzz/corpus-runlog $(srcdir)/tests/fuzz/runlog

CLEANFILES += tests/fuzz/fuzz_config tests/fuzz/fuzz_runlog
.PHONY: fuzz-config fuzz-runlog
