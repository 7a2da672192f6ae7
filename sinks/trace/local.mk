# SPDX-License-Identifier: MIT
sink_LTLIBRARIES += sinks/trace.la
sinks_trace_la_SOURCES = %D%/output.c %D%/trace_sink.c %D%/trace_sink.h \
    %D%/trace_window.c
sinks_trace_la_LIBADD  = sinks/common/trace_formats/libtrace_formats.la sinks/common/libcommon.la $(ZLIB_LIBS) -lm
sinks_trace_la_LDFLAGS = $(SINK_LDFLAGS)

if BUILTIN_TRACE
noinst_LTLIBRARIES += sinks/trace/libbuiltin.la
libstepwatch_la_LIBADD += sinks/trace/libbuiltin.la sinks/common/trace_formats/libtrace_formats.la
sinks_trace_libbuiltin_la_SOURCES  = $(sinks_trace_la_SOURCES)
sinks_trace_libbuiltin_la_CPPFLAGS = $(AM_CPPFLAGS) -DSW_SINK_SYMBOL=swi_sink_trace
sinks_trace_libbuiltin_la_CFLAGS   = $(AM_CFLAGS)
endif
