# SPDX-License-Identifier: MIT
# The file of a run, as a library for its tests and inside the sink.
EXTRA_DIST += docs/wandb.proto docs/wandb.md build-aux/stepwatch-wandb.pc.in

noinst_LTLIBRARIES += %D%/librun.la
%C%_librun_la_SOURCES = \
    %D%/values/artifact.c %D%/values/artifact.h \
    %D%/console/followed_file.c %D%/console/followed_file.h \
    %D%/account/credentials.c %D%/account/credentials.h \
    %D%/run/machine.c %D%/run/machine.h \
    %D%/file/leveldb_log.c %D%/file/leveldb_log.h \
    %D%/file/reader.c %D%/file/reader.h \
    %D%/file/run_records.c %D%/file/run_records.h \
    core/text/wire_message.c core/text/wire_message.h %D%/file/record_messages.c %D%/file/record_messages.h \
    %D%/values/fields.c %D%/values/fields.h \
    %D%/account/service.c %D%/account/service.h \
    %D%/account/sdk_settings.c %D%/account/sdk_settings.h \
    %D%/run/writer_id.c %D%/run/writer_id.h


if HAVE_SEND
noinst_LTLIBRARIES += %D%/libupload.la
%C%_libupload_la_CFLAGS = $(AM_CFLAGS) $(CURL_CFLAGS) $(JANSSON_CFLAGS) -pthread
%C%_libupload_la_SOURCES = \
    %D%/upload/ask/answers.c %D%/upload/ask/ask.h \
    %D%/upload/ask/api.c \
    %D%/upload/ask/artifacts.c \
    %D%/upload/begin.c \
    %D%/upload/ask/send_files.c \
    %D%/upload/already_stored.c \
    %D%/upload/content/file_lines.c %D%/upload/content/file_lines.h \
    %D%/upload/ask/link.c \
    %D%/upload/content/model.c %D%/upload/content/model.h \
    %D%/upload/content/model_config.c \
    %D%/upload/content/model_summary.c \
    %D%/upload/other_writers.c \
    %D%/upload/ask/file_stream.c \
    %D%/upload/upload.c %D%/upload/upload.h \
    %D%/upload/run_reading.c \
    %D%/upload/content/write_json.c %D%/upload/content/write_json.h
%C%_libupload_la_LIBADD = $(JANSSON_LIBS) -lm

# For programs that upload runs, such as the command.
lib_LTLIBRARIES += libstepwatch-wandb.la
nodist_pkgconfig_DATA += stepwatch-wandb.pc
stepwatchinclude_HEADERS += include/stepwatch/wandb.h
dist_man3_MANS += docs/man/stepwatch-wandb.3
libstepwatch_wandb_la_SOURCES = %D%/upload/whole_file.c
libstepwatch_wandb_la_CFLAGS  = $(AM_CFLAGS) $(CURL_CFLAGS) $(JANSSON_CFLAGS) -pthread
EXTRA_DIST += %D%/wandb.map
EXTRA_libstepwatch_wandb_la_DEPENDENCIES = $(srcdir)/%D%/wandb.map
libstepwatch_wandb_la_LDFLAGS = $(AM_LDFLAGS) $(SEND_LDFLAGS) -version-info 1:0:0 -Wl,--version-script=$(srcdir)/%D%/wandb.map
libstepwatch_wandb_la_LIBADD  = %D%/libupload.la net/libsend.la %D%/librun.la net/libplace.la core/text/libtext.la

endif

sink_LTLIBRARIES += sinks/wandb.la
sinks_wandb_la_SOURCES = \
    %D%/run_files.c \
    %D%/run_open.c \
    %D%/run_settings.c \
    %D%/file_rotation.c \
    %D%/history.c \
    %D%/logged_values.c \
    %D%/media_files.c \
    %D%/metric_rules.c \
    %D%/output_log.c \
    %D%/printed_lines.c \
    %D%/online.c \
    %D%/fit_report.c \
    %D%/run/sweep.c %D%/run/sweep.h \
    %D%/system_metrics.c \
    %D%/wandb_sink.c %D%/wandb_sink.h
sinks_wandb_la_CFLAGS  = $(AM_CFLAGS) $(YAML_CFLAGS) $(CURL_CFLAGS) $(JANSSON_CFLAGS) -pthread
sinks_wandb_la_LIBADD  =
if HAVE_SEND
sinks_wandb_la_LIBADD += %D%/libupload.la net/libsend.la
endif
sinks_wandb_la_LIBADD += %D%/librun.la net/libplace.la sinks/common/libcommon.la $(YAML_LIBS) -lm
sinks_wandb_la_LDFLAGS = $(SINK_LDFLAGS) $(SEND_LDFLAGS)
