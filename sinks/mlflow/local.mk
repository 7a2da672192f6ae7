# SPDX-License-Identifier: MIT
# Which server, for the sink and the upload, without the libraries of a network.
noinst_LTLIBRARIES += %D%/libserver.la
%C%_libserver_la_CFLAGS  = $(AM_CFLAGS)
%C%_libserver_la_SOURCES = %D%/upload/clean_key.c %D%/upload/clean_key.h %D%/upload/tracking_server.c %D%/upload/tracking_server.h

if HAVE_SEND
noinst_LTLIBRARIES += %D%/libtracking.la
%C%_libtracking_la_CFLAGS  = $(AM_CFLAGS) $(CURL_CFLAGS) $(JANSSON_CFLAGS) -pthread
%C%_libtracking_la_SOURCES = \
    %D%/upload/experiment.c \
    %D%/upload/journal_lines.c \
    %D%/upload/journal_sync.c \
    %D%/upload/run_begin.c \
    %D%/upload/run_upload.c %D%/upload/run_upload.h \
    %D%/upload/send_batch.c \
    %D%/upload/send_run_files.c \
    %D%/upload/tracking.c %D%/upload/tracking.h

endif

sink_LTLIBRARIES += sinks/mlflow.la
sinks_mlflow_la_SOURCES = \
    $(runlog_lines) \
    %D%/artifact_files.c \
    %D%/journal.c \
    %D%/journal_rotation.c \
    %D%/mlflow_sink.c %D%/mlflow_sink.h \
    %D%/run_tags.c \
    %D%/system_names.c \
    %D%/tracking_online.c \
    %D%/value_artifacts.c
sinks_mlflow_la_CFLAGS  = $(AM_CFLAGS) $(CURL_CFLAGS) $(JANSSON_CFLAGS) -pthread
sinks_mlflow_la_LIBADD  =
if HAVE_SEND
sinks_mlflow_la_LIBADD += %D%/libtracking.la net/libsend.la
endif
sinks_mlflow_la_LIBADD += %D%/libserver.la net/libplace.la sinks/common/libcommon.la -lm
sinks_mlflow_la_LDFLAGS = $(SINK_LDFLAGS) $(SEND_LDFLAGS)
