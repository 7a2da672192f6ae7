# SPDX-License-Identifier: MIT
sink_LTLIBRARIES += sinks/csv.la
sinks_csv_la_SOURCES = %D%/csv.c
sinks_csv_la_LIBADD  = sinks/common/libcommon.la -lm
sinks_csv_la_LDFLAGS = $(SINK_LDFLAGS)
