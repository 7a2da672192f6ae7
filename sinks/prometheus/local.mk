# SPDX-License-Identifier: MIT
sink_LTLIBRARIES += sinks/prometheus.la
sinks_prometheus_la_SOURCES = \
    %D%/exposition.c %D%/exposition.h \
    %D%/scrape/address.c %D%/scrape/address.h \
    %D%/scrape/client.c \
    %D%/scrape/http_date.c %D%/scrape/http_date.h \
    %D%/scrape/page_server.c %D%/scrape/page_server.h \
    %D%/scrape/request.c %D%/scrape/request.h \
    %D%/prometheus_sink.c \
    %D%/pushing.c %D%/pushing.h
sinks_prometheus_la_CFLAGS  = $(AM_CFLAGS) $(CURL_CFLAGS) -pthread
sinks_prometheus_la_LIBADD  =
if HAVE_SEND
sinks_prometheus_la_LIBADD  += net/libsend.la
endif
sinks_prometheus_la_LIBADD  += net/libplace.la sinks/common/libcommon.la -lm
sinks_prometheus_la_LDFLAGS = $(SINK_LDFLAGS) $(SEND_LDFLAGS)
