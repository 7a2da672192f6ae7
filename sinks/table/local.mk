# SPDX-License-Identifier: MIT
sink_LTLIBRARIES += sinks/table.la
sinks_table_la_SOURCES = \
    %D%/boxed_table.c %D%/boxed_table.h \
    %D%/fitted_columns.c %D%/fitted_columns.h \
    %D%/live_view.c %D%/live_view.h \
    %D%/plain_table.c %D%/plain_table.h \
    %D%/table.c \
    %D%/terminal.c %D%/terminal.h
sinks_table_la_CFLAGS  = $(AM_CFLAGS) $(SMARTCOLS_CFLAGS)
sinks_table_la_LIBADD  = sinks/common/libcommon.la $(SMARTCOLS_LIBS) -lm
sinks_table_la_LDFLAGS = $(SINK_LDFLAGS)
