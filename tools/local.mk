# SPDX-License-Identifier: MIT
if HAVE_JANSSON
bin_PROGRAMS += tools/stepwatch
endif
tools_stepwatch_SOURCES = \
    %D%/arguments.c \
    %D%/check.c \
    %D%/log.c %D%/log.h \
    %D%/main.c \
    %D%/player.c %D%/player.h \
    %D%/replay.c %D%/replay.h \
    %D%/replaying.c \
    %D%/report.c \
    %D%/sinks.c \
    %D%/tools.h \
    %D%/verify.c %D%/verify.h
tools_stepwatch_CFLAGS = $(AM_CFLAGS) $(JANSSON_CFLAGS)
tools_stepwatch_LDADD  = libstepwatch.la $(JANSSON_LIBS)
