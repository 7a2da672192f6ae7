# SPDX-License-Identifier: MIT
# The file of a run, once as a library for its tests and once inside the sink.
EXTRA_DIST += %D%/wandb.proto docs/wandb.md build-aux/stepwatch-wandb.pc.in

if HAVE_WANDB
wandb_generated = %D%/wandb.pb-c.c %D%/wandb.pb-c.h
BUILT_SOURCES += $(wandb_generated)
CLEANFILES    += $(wandb_generated)

%D%/wandb.pb-c.c: %D%/wandb.proto
	$(AM_V_GEN)$(MKDIR_P) %D% && \
	$(PROTOC_C) --c_out=%D% -I $(srcdir)/%D% $(srcdir)/%D%/wandb.proto
%D%/wandb.pb-c.h: %D%/wandb.pb-c.c

noinst_LTLIBRARIES += %D%/librun.la
%C%_librun_la_CFLAGS = $(AM_CFLAGS) $(PROTOBUF_C_CFLAGS)
nodist_%C%_librun_la_SOURCES = $(wandb_generated)
%C%_librun_la_SOURCES = \
    %D%/artifact.c %D%/artifact.h \
    %D%/crc32.c %D%/crc32.h \
    %D%/credentials.c %D%/credentials.h \
    %D%/environment.c %D%/environment.h \
    %D%/git.c %D%/git.h \
    %D%/log.c %D%/log.h \
    %D%/md5.c %D%/md5.h \
    %D%/memory.c %D%/memory.h \
    %D%/rank.c %D%/rank.h \
    %D%/plain.c %D%/plain.h \
    %D%/reader.c %D%/reader.h \
    %D%/records.c %D%/records.h \
    %D%/row.c %D%/row.h \
    %D%/secret.c %D%/secret.h \
    %D%/service.c %D%/service.h \
    %D%/settings.c %D%/settings.h \
    %D%/sha256.c %D%/sha256.h \
    %D%/writer.c %D%/writer.h \
    %D%/yaml.c %D%/yaml.h
%C%_librun_la_LIBADD = $(PROTOBUF_C_LIBS)

if HAVE_UPLOAD
noinst_LTLIBRARIES += %D%/libupload.la
%C%_libupload_la_CFLAGS = $(AM_CFLAGS) $(PROTOBUF_C_CFLAGS) $(CURL_CFLAGS) $(JANSSON_CFLAGS) -pthread
%C%_libupload_la_SOURCES = \
    %D%/upload/alerts.c %D%/upload/alerts.h \
    %D%/upload/answers.c %D%/upload/answers.h \
    %D%/upload/api.c %D%/upload/api.h \
    %D%/upload/artifacts.c %D%/upload/artifacts.h \
    %D%/upload/authorities.c %D%/upload/authorities.h \
    %D%/upload/begin.c \
    %D%/upload/environment.c %D%/upload/environment.h \
    %D%/upload/explain.c %D%/upload/explain.h \
    %D%/upload/files.c %D%/upload/files.h \
    %D%/upload/held.c %D%/upload/held.h \
    %D%/upload/http.c %D%/upload/http.h \
    %D%/upload/json.c %D%/upload/json.h \
    %D%/upload/keep.c %D%/upload/keep.h \
    %D%/upload/lines.c %D%/upload/lines.h \
    %D%/upload/link.c %D%/upload/link.h \
    %D%/upload/live.c %D%/upload/live.h \
    %D%/upload/model.c %D%/upload/model.h \
    %D%/upload/nested.c %D%/upload/nested.h \
    %D%/upload/others.c %D%/upload/others.h \
    %D%/upload/retry.c %D%/upload/retry.h \
    %D%/upload/secrets.c %D%/upload/secrets.h \
    %D%/upload/spill.c %D%/upload/spill.h \
    %D%/upload/stream.c %D%/upload/stream.h \
    %D%/upload/token.c %D%/upload/token.h \
    %D%/upload/upload.c %D%/upload/upload.h \
    %D%/upload/write.c %D%/upload/write.h
%C%_libupload_la_LIBADD = $(CURL_LIBS) $(JANSSON_LIBS) -lm

# For programs that upload: the command is one.
lib_LTLIBRARIES += libstepwatch-wandb.la
nodist_pkgconfig_DATA += stepwatch-wandb.pc
stepwatchinclude_HEADERS += include/stepwatch/wandb.h
dist_man3_MANS += docs/man/stepwatch-wandb.3
libstepwatch_wandb_la_SOURCES = %D%/upload/sync.c
libstepwatch_wandb_la_CFLAGS  = $(AM_CFLAGS) $(PROTOBUF_C_CFLAGS) $(CURL_CFLAGS) $(JANSSON_CFLAGS) -pthread
# libcurl keeps functions of it, which wipe what it frees: it stays loaded.
libstepwatch_wandb_la_LDFLAGS = $(AM_LDFLAGS) -Wl,-z,nodelete -version-info 1:0:0 -export-symbols-regex '^sw_wandb_'
libstepwatch_wandb_la_LIBADD  = %D%/libupload.la %D%/librun.la sinks/common/libcommon.la

# For the sink, which loads it when a run is uploaded; no sink itself, as its name says.
sink_LTLIBRARIES += sinks/wandb-upload.la
sinks_wandb_upload_la_SOURCES = %D%/upload/module.c
sinks_wandb_upload_la_CFLAGS  = $(AM_CFLAGS) $(PROTOBUF_C_CFLAGS) $(JANSSON_CFLAGS)
sinks_wandb_upload_la_LIBADD  = %D%/libupload.la %D%/librun.la sinks/common/libcommon.la
sinks_wandb_upload_la_LDFLAGS = $(MODULE_LDFLAGS) -export-symbols-regex '^swi_wandb_uploader$$'
endif

sink_LTLIBRARIES += sinks/wandb.la
sinks_wandb_la_SOURCES = \
    core/files/shared.c core/files/shared.h \
    %D%/files.c \
    %D%/history.c \
    %D%/online.c \
    %D%/place.c \
    %D%/report.c \
    %D%/say.c \
    %D%/sweep.c %D%/sweep.h \
    %D%/system.c \
    %D%/table.c %D%/table.h \
    %D%/uploader.c %D%/uploader.h \
    %D%/wandb.c %D%/wandb.h
sinks_wandb_la_CFLAGS  = $(AM_CFLAGS) $(PROTOBUF_C_CFLAGS) $(YAML_CFLAGS) -pthread
sinks_wandb_la_LIBADD  = %D%/librun.la sinks/common/libcommon.la $(YAML_LIBS) -lm
sinks_wandb_la_LDFLAGS = $(SINK_LDFLAGS)
endif
