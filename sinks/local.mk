# SPDX-License-Identifier: MIT
# Code that sinks share is linked into each of them, because a plugin has no undefined symbols of stepwatch.
noinst_LTLIBRARIES += sinks/common/libcommon.la
sinks_common_libcommon_la_CFLAGS  = $(AM_CFLAGS)
sinks_common_libcommon_la_SOURCES = \
    %D%/common/report_output.c %D%/common/report_output.h \
    %D%/common/lightning_stage.h \
    %D%/common/grid.c %D%/common/grid.h \
    %D%/common/points.c \
    %D%/common/notes.c %D%/common/notes.h \
    %D%/common/part_file.c %D%/common/part_file.h \
    %D%/common/defined_rules.c %D%/common/defined_rules.h \
    %D%/common/file_names.c %D%/common/file_names.h \
    %D%/common/option_rows.h \
    %D%/common/sample_names.c %D%/common/sample_names.h \
    %D%/common/step_fields.h \
    %D%/common/step_groups.c %D%/common/step_groups.h \
    %D%/common/thinning.c %D%/common/thinning.h \
    %D%/common/value_table.c %D%/common/value_table.h \
    %D%/common/forms/call_paths.c %D%/common/forms/call_paths.h \
    %D%/common/forms/column_names.c \
    %D%/common/forms/form.c %D%/common/forms/form.h \
    %D%/common/forms/stacked_rows.c \
    %D%/common/forms/style.c %D%/common/forms/style.h \
    %D%/common/forms/styled_rows.c \
    %D%/common/forms/torch_table.c
sinks_common_libcommon_la_LIBADD = core/text/libtext.la

include %D%/common/functions/local.mk
include %D%/common/runlog/local.mk
include %D%/common/trace_formats/local.mk

# For sinks that are linked into the library: once for all of them, without the text that the library has.
if BUILTIN_ANY
noinst_LTLIBRARIES += sinks/common/libbuiltin.la
sinks_common_libbuiltin_la_SOURCES = $(sinks_common_libcommon_la_SOURCES)
libstepwatch_la_LIBADD += sinks/common/libbuiltin.la $(BUILTIN_LIBS) -lm
endif
if BUILTIN_TENSORBOARD
libstepwatch_la_LIBADD += sinks/tensorboard/libwriter.la
endif

# A sink: sinks_NAME_la_SOURCES, _LIBADD with libcommon.la and what else it needs, _LDFLAGS with $(SINK_LDFLAGS).
include %D%/csv/local.mk
include %D%/functions/local.mk
include %D%/markdown/local.mk
include %D%/mlflow/local.mk
include %D%/prometheus/local.mk
include %D%/runlog/local.mk
include %D%/sqlite/local.mk
include %D%/table/local.mk
include %D%/tensorboard/local.mk
include %D%/trace/local.mk
include %D%/wandb/local.mk
