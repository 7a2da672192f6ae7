# SPDX-License-Identifier: MIT
sink_LTLIBRARIES += sinks/prometheus.la
sinks_prometheus_la_SOURCES = \
    %D%/exposition.c %D%/exposition.h \
    %D%/prometheus_sink.c \
    %D%/pushing.c %D%/pushing.h \
    %D%/scrape_page.c %D%/scrape_page.h
sinks_prometheus_la_CFLAGS  = $(AM_CFLAGS) $(CURL_CFLAGS) -pthread
sinks_prometheus_la_LIBADD  =
if HAVE_SEND
sinks_prometheus_la_LIBADD  += net/libsend.la
endif
sinks_prometheus_la_LIBADD  += net/libplace.la sinks/common/libcommon.la -lm
sinks_prometheus_la_LDFLAGS = $(SINK_LDFLAGS) $(SEND_LDFLAGS)
