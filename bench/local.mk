# SPDX-License-Identifier: MIT
EXTRA_PROGRAMS += bench/bench
bench_bench_SOURCES = \
    %D%/accuracy.c \
    %D%/allocations.c %D%/allocations.h \
    %D%/bench.h \
    %D%/counters.c \
    %D%/stall.c %D%/stall.h \
    %D%/log.c \
    %D%/main.c \
    %D%/memory.c \
    %D%/monitors.c \
    %D%/regions.c \
    %D%/rich.c \
    %D%/sinks.c \
    %D%/step.h \
    %D%/trace.c
bench_bench_CPPFLAGS = $(AM_CPPFLAGS) -DMEMORY_LIBRARY='"$(abs_top_builddir)/.libs/libstepwatch-memory.so.1"' \
    -DFAKE_NVML_LIBRARY='"$(abs_top_builddir)/tests/monitors/libnvidia-ml.so.1"' \
    -DFAKE_NVML_DEVICES='"$(abs_top_srcdir)/tests/golden/resources/nvml/two_devices.txt"'
bench_bench_CFLAGS = $(AM_CFLAGS) -fno-builtin-malloc -pthread
bench_bench_LDADD  = libstepwatch.la sinks/common/trace_formats/libtrace_formats.la core/text/libtext.la $(ZLIB_LIBS) -lm
CLEANFILES += bench/bench

# The real cost of a step: a program that runs one case a process, and the example digits with a clock around its calls.
EXTRA_PROGRAMS += bench/real_cases examples/digits/around
bench_real_cases_SOURCES = \
    %D%/real/bare.c \
    %D%/real/cold.c \
    %D%/real/ends.c \
    %D%/real/floors.c \
    %D%/real/loop.c \
    %D%/real/main.c \
    %D%/real/real.h \
    %D%/real/start.c \
    %D%/real/threads.c \
    %D%/step.h \
    tests/support/wake_ups.c tests/support/wake_ups.h
bench_real_cases_CFLAGS  = $(AM_CFLAGS) -pthread
bench_real_cases_LDADD   = libstepwatch.la
bench_real_cases_LDFLAGS = $(AM_LDFLAGS) -no-install
examples_digits_around_SOURCES = $(examples_digits_digits_SOURCES) %D%/real/around.c
examples_digits_around_CFLAGS  = $(examples_digits_digits_CFLAGS)
examples_digits_around_LDADD   = $(examples_digits_digits_LDADD)
examples_digits_around_LDFLAGS = $(examples_digits_digits_LDFLAGS) -Wl,--wrap=sw_begin,--wrap=sw_next,--wrap=sw_end \
    -Wl,--wrap=sw_cancel,--wrap=sw_log,--wrap=sw_end_batch
CLEANFILES += bench/real_cases examples/digits/around

# Ranks: a log of one, and a program with MPI that joins them.
EXTRA_PROGRAMS += bench/rank_log
bench_rank_log_SOURCES = %D%/ranks/rank_log.c
bench_rank_log_LDADD   = libstepwatch.la
bench_rank_log_LDFLAGS = $(AM_LDFLAGS) -no-install
CLEANFILES += bench/rank_log bench/joined
EXTRA_DIST += %D%/ranks/cases.py %D%/ranks/joined.c %D%/functions/cases.py %D%/functions/eight.c %D%/functions/fib.c %D%/functions/work.h
if HAVE_MPI
EXTRA_PROGRAMS += bench/joined
bench_joined_SOURCES = %D%/ranks/joined.c
bench_joined_CFLAGS  = $(AM_CFLAGS) $(MPI_CFLAGS)
bench_joined_LDADD   = libstepwatch-mpi.la libstepwatch.la $(MPI_LIBS)
bench_joined_LDFLAGS = $(AM_LDFLAGS) -no-install
endif

# The program whose instructions tests/scripts/counts.sh counts.
check_PROGRAMS += bench/counted
bench_counted_SOURCES  = %D%/counted.c %D%/step.h
bench_counted_CPPFLAGS = $(AM_CPPFLAGS) -DBENCH_CFLAGS='"$(CFLAGS)"'
bench_counted_LDADD    = libstepwatch.la
EXTRA_DIST += %D%/run %D%/real/cases.py %D%/instructions %D%/counting.py %D%/lines %D%/open %D%/expected.json docs/design.md

# Rows of sinks, beside the official clients.
EXTRA_PROGRAMS += %D%/loggers/rows
%C%_loggers_rows_SOURCES = %D%/loggers/rows.c
%C%_loggers_rows_LDADD   = libstepwatch.la
%C%_loggers_rows_LDFLAGS = $(AM_LDFLAGS) -no-install
CLEANFILES += %D%/loggers/rows
EXTRA_DIST += %D%/loggers/cases.py %D%/loggers/client_peer.py %D%/loggers/measured.py

# make bench-wandb compares a row of wandb from the sink and from the Python package.
bench-wandb: all
	$(MAKE) $(AM_MAKEFLAGS) bench/loggers/rows
	$(srcdir)/build-aux/venv $(abs_top_builddir)/venv wandb==0.31.0 || test $$? = 77
	python3 -B $(srcdir)/bench/wandb_run.py $(abs_top_builddir)
.PHONY: bench-wandb
EXTRA_DIST += %D%/wandb_run.py
EXTRA_DIST += %D%/python/calls.py %D%/python/cases.py
