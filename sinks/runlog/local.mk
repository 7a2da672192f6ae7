# SPDX-License-Identifier: MIT
sink_LTLIBRARIES += sinks/runlog.la
sinks_runlog_la_SOURCES = $(runlog_lines) $(frame_codecs) %D%/runlog_sink.c %D%/log_frames.c %D%/log_output.c %D%/log_output.h \
                         %D%/region_samples.c %D%/region_samples.h \
                         %D%/run_summary.c %D%/run_summary.h
sinks_runlog_la_CFLAGS  = $(AM_CFLAGS) $(ZLIB_CFLAGS) $(ZSTD_CFLAGS)
sinks_runlog_la_LIBADD  = sinks/common/libcommon.la $(ZLIB_LIBS) $(ZSTD_LIBS) -lm
sinks_runlog_la_LDFLAGS = $(SINK_LDFLAGS)

if BUILTIN_RUNLOG
noinst_LTLIBRARIES += sinks/runlog/libbuiltin.la
libstepwatch_la_LIBADD += sinks/runlog/libbuiltin.la
sinks_runlog_libbuiltin_la_SOURCES  = $(sinks_runlog_la_SOURCES)
sinks_runlog_libbuiltin_la_CPPFLAGS = $(AM_CPPFLAGS) -DSW_SINK_SYMBOL=swi_sink_runlog
sinks_runlog_libbuiltin_la_CFLAGS   = $(AM_CFLAGS) $(ZLIB_CFLAGS) $(ZSTD_CFLAGS)
endif
