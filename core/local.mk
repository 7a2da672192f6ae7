# SPDX-License-Identifier: MIT
lib_LTLIBRARIES += libstepwatch.la
libstepwatch_la_CPPFLAGS = $(AM_CPPFLAGS) -DSINKDIR='"$(sinkdir)"'
libstepwatch_la_CFLAGS   = $(AM_CFLAGS) $(YAML_CFLAGS) -pthread
libstepwatch_la_LDFLAGS  = $(AM_LDFLAGS) -version-info 1:0:0 -export-symbols-regex '^sw_' -pthread
libstepwatch_la_LIBADD   = $(YAML_LIBS)
libstepwatch_la_SOURCES  = \
    %D%/loader.h \
    %D%/messages.h \
    %D%/mistakes.c %D%/mistakes.h \
    %D%/nearest.c %D%/nearest.h \
    %D%/options.h \
    %D%/parse.c %D%/parse.h \
    %D%/pipeline.h \
    %D%/profiler.h \
    %D%/record.h \
    %D%/settings.c %D%/settings.h \
    %D%/shown.c %D%/shown.h \
    %D%/version.c
