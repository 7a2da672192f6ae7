# SPDX-License-Identifier: MIT
EXTRA_PROGRAMS += bench/bench
bench_bench_SOURCES = \
    %D%/accuracy.c \
    %D%/bench.h \
    %D%/log.c \
    %D%/main.c \
    %D%/memory.c \
    %D%/regions.c \
    %D%/sinks.c
bench_bench_CFLAGS = $(AM_CFLAGS) -pthread
bench_bench_LDADD  = libstepwatch.la -lm
CLEANFILES += bench/bench

# What tests/scripts/counts.sh counts.
check_PROGRAMS += bench/counted
bench_counted_SOURCES  = %D%/instructions.c
bench_counted_CPPFLAGS = $(AM_CPPFLAGS) -DBENCH_CFLAGS='"$(CFLAGS)"'
bench_counted_LDADD    = libstepwatch.la
EXTRA_DIST += %D%/run %D%/instructions %D%/expected.json docs/design.md
