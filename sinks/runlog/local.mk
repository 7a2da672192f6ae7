# SPDX-License-Identifier: MIT
sink_LTLIBRARIES += sinks/runlog.la
sinks_runlog_la_SOURCES = %D%/lines.c %D%/lines.h %D%/runlog.c
sinks_runlog_la_LIBADD  = sinks/common/libcommon.la -lm
sinks_runlog_la_LDFLAGS = $(SINK_LDFLAGS)
