# SPDX-License-Identifier: MIT
sink_LTLIBRARIES += sinks/csv.la
sinks_csv_la_SOURCES = %D%/csv_sink.c
sinks_csv_la_LIBADD  = sinks/common/libcommon.la -lm
sinks_csv_la_LDFLAGS = $(SINK_LDFLAGS)

if BUILTIN_CSV
noinst_LTLIBRARIES += sinks/csv/libbuiltin.la
libstepwatch_la_LIBADD += sinks/csv/libbuiltin.la
sinks_csv_libbuiltin_la_SOURCES  = $(sinks_csv_la_SOURCES)
sinks_csv_libbuiltin_la_CPPFLAGS = $(AM_CPPFLAGS) -DSW_SINK_SYMBOL=swi_sink_csv
sinks_csv_libbuiltin_la_CFLAGS   = $(AM_CFLAGS)
endif
