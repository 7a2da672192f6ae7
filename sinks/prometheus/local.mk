# SPDX-License-Identifier: MIT
sink_LTLIBRARIES += sinks/prometheus.la
sinks_prometheus_la_SOURCES = \
    %D%/exposition.c %D%/exposition.h \
    %D%/families.c %D%/families.h \
    %D%/scrape/address.c %D%/scrape/address.h \
    %D%/scrape/client.c %D%/scrape/client.h \
    %D%/scrape/http_date.c %D%/scrape/http_date.h \
    %D%/scrape/page_server.c %D%/scrape/page_server.h \
    %D%/scrape/request.c %D%/scrape/request.h \
    %D%/prometheus_sink.c \
    %D%/push/push_path.c %D%/push/push_path.h %D%/push/pusher.h \
    %D%/pushing.c %D%/pushing.h \
    core/files/own_symbols.c core/files/own_symbols.h \
    core/files/shared_object.c core/files/shared_object.h \
    sinks/common/upload/load_uploader.c sinks/common/upload/load_uploader.h
sinks_prometheus_la_CFLAGS  = $(AM_CFLAGS) -pthread
sinks_prometheus_la_LIBADD  = sinks/common/upload/libplace.la sinks/common/libcommon.la -lm
sinks_prometheus_la_LDFLAGS = $(SINK_LDFLAGS)

if HAVE_SEND
# The sink loads it when a run is pushed. It is not a sink, as its name shows.
sink_LTLIBRARIES += sinks/prometheus-upload.la
sinks_prometheus_upload_la_SOURCES = %D%/push/push_thread.c %D%/push/pusher.h
sinks_prometheus_upload_la_CFLAGS  = $(AM_CFLAGS) $(JANSSON_CFLAGS) -pthread
sinks_prometheus_upload_la_LIBADD  = sinks/common/upload/libsend.la sinks/common/upload/libplace.la core/text/libtext.la
sinks_prometheus_upload_la_LDFLAGS = $(MODULE_LDFLAGS) -export-symbols-regex '^swi_prometheus_uploader$$'
endif
EXTRA_DIST += %D%/push/push_thread.c
