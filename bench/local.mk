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
EXTRA_DIST += %D%/run docs/design.md
