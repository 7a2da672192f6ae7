# SPDX-License-Identifier: MIT
sink_LTLIBRARIES += sinks/runlog.la
# The lines of a log, and the files beside it: other sinks write them, too.
runlog_lines = %D%/all_ranks_line.c %D%/all_ranks_line.h %D%/blocks.c %D%/blocks.h %D%/counter_lines.c \
               %D%/counter_lines.h %D%/distribution.c %D%/distribution.h %D%/finding_line.c %D%/finding_line.h \
               %D%/line_fields.h %D%/lines.c %D%/lines.h %D%/logged_step.c %D%/logged_step.h %D%/loop_lines.c %D%/step_lists.c %D%/step_lists.h \
               %D%/loop_lines.h %D%/report_lines.c %D%/report_lines.h %D%/value_files.c %D%/value_files.h \
               %D%/value_lines.c %D%/value_lines.h
sinks_runlog_la_SOURCES = $(runlog_lines) %D%/runlog_sink.c %D%/run_summary.c %D%/run_summary.h \
                         %D%/summary_file.c %D%/summary_file.h
sinks_runlog_la_LIBADD  = sinks/common/libcommon.la -lm
sinks_runlog_la_LDFLAGS = $(SINK_LDFLAGS)

if BUILTIN_RUNLOG
noinst_LTLIBRARIES += sinks/runlog/libbuiltin.la
libstepwatch_la_LIBADD += sinks/runlog/libbuiltin.la
sinks_runlog_libbuiltin_la_SOURCES  = $(sinks_runlog_la_SOURCES)
sinks_runlog_libbuiltin_la_CPPFLAGS = $(AM_CPPFLAGS) -DSW_SINK_SYMBOL=swi_sink_runlog
sinks_runlog_libbuiltin_la_CFLAGS   = $(AM_CFLAGS)
endif
