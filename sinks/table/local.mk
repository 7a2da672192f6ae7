# SPDX-License-Identifier: MIT
sink_LTLIBRARIES += sinks/table.la
sinks_table_la_SOURCES = \
    %D%/boxed_table.c \
    %D%/live_view.c \
    %D%/progress_line.c \
    %D%/run_progress.c \
    %D%/table_sink.c %D%/table_sink.h \
    %D%/whole_lines.c
sinks_table_la_LIBADD  = sinks/common/libcommon.la -lm
sinks_table_la_LDFLAGS = $(SINK_LDFLAGS)

if BUILTIN_TABLE
noinst_LTLIBRARIES += sinks/table/libbuiltin.la
libstepwatch_la_LIBADD += sinks/table/libbuiltin.la
sinks_table_libbuiltin_la_SOURCES  = $(sinks_table_la_SOURCES)
sinks_table_libbuiltin_la_CPPFLAGS = $(AM_CPPFLAGS) -DSW_SINK_SYMBOL=swi_sink_table
sinks_table_libbuiltin_la_CFLAGS   = $(AM_CFLAGS)
endif
