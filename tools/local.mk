# SPDX-License-Identifier: MIT
if HAVE_JANSSON
bin_PROGRAMS += tools/stepwatch
endif
tools_stepwatch_SOURCES = \
    %D%/arguments.c \
    %D%/check.c \
    %D%/child.c %D%/child.h \
    %D%/collect.c %D%/collect.h \
    %D%/compare.c \
    %D%/drawing_bar.c \
    %D%/drawing_durations.c \
    %D%/drawing_throughput.c \
    %D%/drawings.h \
    %D%/durations.c %D%/durations.h \
    %D%/init.c \
    %D%/interval.c %D%/interval.h \
    %D%/log.c %D%/log.h \
    %D%/main.c \
    %D%/means.c %D%/means.h \
    %D%/page.c %D%/page.h \
    %D%/player.c %D%/player.h \
    %D%/replay.c %D%/replay.h \
    %D%/replaying.c \
    %D%/report.c \
    %D%/report_json.c %D%/report_json.h \
    %D%/runs.c %D%/runs.h \
    %D%/scale.c %D%/scale.h \
    %D%/run.c \
    %D%/set.c %D%/set.h \
    %D%/sinks.c \
    %D%/steps.c %D%/steps.h \
    %D%/sync.c \
    %D%/text.c %D%/text.h \
    %D%/tools.h \
    %D%/verify.c %D%/verify.h
tools_stepwatch_CFLAGS = $(AM_CFLAGS) $(JANSSON_CFLAGS)
tools_stepwatch_LDADD  = libstepwatch.la $(JANSSON_LIBS) -lm
if HAVE_UPLOAD
tools_stepwatch_LDADD += libstepwatch-wandb.la
endif
EXTRA_DIST += docs/command.md
