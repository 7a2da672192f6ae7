# SPDX-License-Identifier: MIT
sink_LTLIBRARIES += sinks/table.la
sinks_table_la_SOURCES = %D%/boxed_table.c %D%/live_view.c %D%/plain_table.c %D%/table.c %D%/table.h %D%/terminal.c \
    %D%/fitted_columns.c
sinks_table_la_CFLAGS  = $(AM_CFLAGS) $(SMARTCOLS_CFLAGS)
sinks_table_la_LIBADD  = sinks/common/libcommon.la $(SMARTCOLS_LIBS) -lm
sinks_table_la_LDFLAGS = $(SINK_LDFLAGS)
