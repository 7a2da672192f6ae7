# SPDX-License-Identifier: MIT
sink_LTLIBRARIES += sinks/functions.la
sinks_functions_la_SOURCES = \
    %D%/functions_sink.c
sinks_functions_la_LIBADD  = sinks/common/functions/libfunctions.la sinks/common/libcommon.la $(LIBDW_LIBS)
sinks_functions_la_LDFLAGS = $(SINK_LDFLAGS)
