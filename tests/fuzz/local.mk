# SPDX-License-Identifier: MIT
# Fuzzes the readers of foreign text and the writer of event files. The seeds are suites of tests/check.
EXTRA_DIST += %D%/added_sinks.c %D%/answers %D%/config %D%/driver.c %D%/images %D%/not-traced %D%/requests %D%/runlog %D%/wandb
tests_check_SOURCES += %D%/fuzz.h %D%/fuzz_config.c %D%/fuzz_images.c %D%/fuzz_requests.c %D%/seeds.c %D%/seeds.h %D%/test_fuzz_config.c %D%/test_fuzz_seeds.c \
    sinks/prometheus/scrape_page.c
if HAVE_JANSSON
tests_check_CPPFLAGS += -DTEST_RUNLOG_SEEDS
if HAVE_ZLIB
tests_check_CPPFLAGS += -DTEST_COMPRESSED_SEEDS
endif
tests_check_SOURCES += %D%/fuzz_runlog.c $(frame_codecs) tools/log/log_lines.c tools/log/log_value.c tools/log/parse_line.c tools/log/thinned_steps.c tools/log/played_regions.c \
    tools/log/played_steps.c tools/log/played_report.c tools/log/player.c \
    tools/log/value_line.c tools/log/waiting_values.c
tests_check_CFLAGS  += $(ZSTD_CFLAGS)
tests_check_LDADD   += $(ZSTD_LIBS)
endif

# Needs clang: make fuzz-config FUZZ_SECONDS=600, or also FUZZ_RUNS=1000000. New inputs are kept in tests/fuzz/corpus-NAME
# of the build folder. FUZZ_SANITIZE=fuzzer measures time and memory without the sanitizers.
FUZZ_SANITIZE = fuzzer,address,undefined
FUZZ = clang -g -O1 -fno-inline -fsanitize=$(FUZZ_SANITIZE) -fno-sanitize-recover=all \
       -fsanitize-coverage-ignorelist=$(srcdir)/%D%/not-traced -DHAVE_CONFIG_H -DSINKDIR='"/nowhere"' -std=gnu11 \
       $(AM_CPPFLAGS) $(srcdir)/%D%/driver.c
FUZZ_LIMITS = -max_total_time=$${FUZZ_SECONDS:-60} -runs=$${FUZZ_RUNS:--1} -timeout=10 -rss_limit_mb=1024 \
              -print_final_stats=1
fuzz_core   = $(srcdir)/core/*.c $(srcdir)/core/*/*.c $(srcdir)/config/*.c $(srcdir)/net/[chlpr]*.c \
              $(srcdir)/net/secret*.c $(srcdir)/net/surroundings.c $(YAML_LIBS) -lm -ldl -lpthread
fuzz_common = $(srcdir)/core/text/*.c

fuzz-config:
	$(MKDIR_P) %D%/corpus-config
	$(FUZZ) -DFUZZ_TARGET=fuzz_config $(YAML_CFLAGS) -o %D%/fuzz_config $(srcdir)/%D%/fuzz_config.c \
	    $(srcdir)/%D%/added_sinks.c $(srcdir)/tests/config/sinks.c $(fuzz_core)
	%D%/fuzz_config $(FUZZ_LIMITS) -max_len=4096 %D%/corpus-config $(srcdir)/tests/config/good \
	    $(srcdir)/tests/config/faulty $(srcdir)/%D%/config

fuzz-events:
	$(MKDIR_P) %D%/corpus-events
	$(FUZZ) -DFUZZ_TARGET=fuzz_events $(YAML_CFLAGS) -o %D%/fuzz_events $(srcdir)/%D%/fuzz_events.c $(fuzz_core)
	%D%/fuzz_events $(FUZZ_LIMITS) -max_len=4096 %D%/corpus-events

fuzz-runlog:
	$(MKDIR_P) %D%/corpus-runlog
	$(FUZZ) -DFUZZ_TARGET=fuzz_runlog $(YAML_CFLAGS) $(JANSSON_CFLAGS) -o %D%/fuzz_runlog \
	    $(srcdir)/%D%/fuzz_runlog.c $(srcdir)/sinks/common/runlog/*_codec.c $(srcdir)/sinks/common/runlog/log_bytes.c $(srcdir)/tools/log/log_lines.c $(srcdir)/tools/log/log_value.c $(srcdir)/tools/log/parse_line.c $(srcdir)/tools/log/thinned_steps.c $(srcdir)/tools/log/play*.c \
	    $(srcdir)/tools/log/value_line.c $(srcdir)/tools/log/waiting_values.c $(fuzz_core) $(JANSSON_LIBS) $(ZLIB_LIBS) $(ZSTD_LIBS)
	%D%/fuzz_runlog $(FUZZ_LIMITS) -max_len=16384 %D%/corpus-runlog $(srcdir)/%D%/runlog

fuzz-wandb:
	$(MKDIR_P) %D%/corpus-wandb
	$(FUZZ) -DFUZZ_TARGET=fuzz_wandb -o %D%/fuzz_wandb $(srcdir)/%D%/fuzz_wandb.c \
	    $(srcdir)/sinks/wandb/file/reader.c $(srcdir)/sinks/wandb/file/leveldb_log.c $(srcdir)/sinks/wandb/file/record_messages.c $(srcdir)/sinks/wandb/values/fields.c $(fuzz_common) -lm
	%D%/fuzz_wandb $(FUZZ_LIMITS) -max_len=70000 %D%/corpus-wandb $(srcdir)/%D%/wandb

fuzz-answers:
	$(MKDIR_P) %D%/corpus-answers
	$(FUZZ) -DFUZZ_TARGET=fuzz_answers -o %D%/fuzz_answers $(srcdir)/%D%/fuzz_answers.c \
	    $(srcdir)/sinks/wandb/file/reader.c $(srcdir)/sinks/wandb/file/leveldb_log.c $(srcdir)/sinks/wandb/upload/ask/answers.c $(srcdir)/sinks/wandb/upload/content/*.c $(srcdir)/sinks/wandb/values/*.c \
	    $(srcdir)/core/files/own_symbols.c $(srcdir)/net/*.c $(fuzz_common) \
	    $(srcdir)/sinks/wandb/file/record_messages.c $(JANSSON_LIBS) -lm
	%D%/fuzz_answers $(FUZZ_LIMITS) -max_len=20000 %D%/corpus-answers $(srcdir)/%D%/answers

fuzz-images:
	$(MKDIR_P) %D%/corpus-images
	$(FUZZ) -DFUZZ_TARGET=fuzz_images -o %D%/fuzz_images $(srcdir)/%D%/fuzz_images.c $(srcdir)/core/media/pixels.c
	%D%/fuzz_images $(FUZZ_LIMITS) -max_len=4096 %D%/corpus-images $(srcdir)/%D%/images

fuzz-requests:
	$(MKDIR_P) %D%/corpus-requests
	$(FUZZ) -DFUZZ_TARGET=fuzz_requests -o %D%/fuzz_requests $(srcdir)/%D%/fuzz_requests.c \
	    $(srcdir)/sinks/prometheus/scrape_page.c $(fuzz_common) -lm -lpthread
	%D%/fuzz_requests $(FUZZ_LIMITS) -max_len=8192 %D%/corpus-requests $(srcdir)/%D%/requests

fuzz-tensorboard:
	$(MKDIR_P) %D%/corpus-tensorboard
	$(FUZZ) -DFUZZ_TARGET=fuzz_tensorboard -o %D%/fuzz_tensorboard \
	    $(srcdir)/%D%/fuzz_tensorboard.c $(srcdir)/tests/tensorboard/tb_messages.c $(srcdir)/sinks/tensorboard/writer/*.c \
	    $(srcdir)/core/text/*.c -lm
	%D%/fuzz_tensorboard $(FUZZ_LIMITS) -max_len=4096 %D%/corpus-tensorboard

CLEANFILES += %D%/fuzz_answers %D%/fuzz_config %D%/fuzz_events %D%/fuzz_images %D%/fuzz_requests %D%/fuzz_runlog %D%/fuzz_tensorboard %D%/fuzz_wandb
.PHONY: fuzz-answers fuzz-config fuzz-events fuzz-images fuzz-requests fuzz-runlog fuzz-tensorboard fuzz-wandb
