# SPDX-License-Identifier: MIT
sink_LTLIBRARIES += sinks/table.la
sinks_table_la_SOURCES = \
    %D%/boxed_table.c %D%/boxed_table.h \
    %D%/fitted_columns.c %D%/fitted_columns.h \
    %D%/live_view.c %D%/live_view.h \
    %D%/run_progress.c %D%/run_progress.h \
    %D%/progress_line.c %D%/progress_line.h \
    %D%/progress_times.c %D%/progress_times.h \
    %D%/table_sink.c \
    %D%/terminal.c %D%/terminal.h \
    %D%/whole_lines.c %D%/whole_lines.h
sinks_table_la_CFLAGS  = $(AM_CFLAGS) $(SMARTCOLS_CFLAGS)
sinks_table_la_LIBADD  = sinks/common/libcommon.la $(SMARTCOLS_LIBS) -lm
sinks_table_la_LDFLAGS = $(SINK_LDFLAGS)

if BUILTIN_TABLE
noinst_LTLIBRARIES += sinks/table/libbuiltin.la
libstepwatch_la_LIBADD += sinks/table/libbuiltin.la
sinks_table_libbuiltin_la_SOURCES  = $(sinks_table_la_SOURCES)
sinks_table_libbuiltin_la_CPPFLAGS = $(AM_CPPFLAGS) -DSW_SINK_SYMBOL=swi_sink_table
sinks_table_libbuiltin_la_CFLAGS   = $(AM_CFLAGS) $(SMARTCOLS_CFLAGS)
endif
