# SPDX-License-Identifier: MIT
sink_LTLIBRARIES += sinks/trace.la
sinks_trace_la_SOURCES = %D%/output.c %D%/output.h %D%/trace_sink.c %D%/trace_sink.h
sinks_trace_la_LIBADD  = sinks/common/timeline/libtimeline.la sinks/common/libcommon.la $(ZLIB_LIBS) -lm
sinks_trace_la_LDFLAGS = $(SINK_LDFLAGS)
