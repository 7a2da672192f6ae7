# SPDX-License-Identifier: MIT
sink_LTLIBRARIES += sinks/prometheus.la
sinks_prometheus_la_SOURCES = \
    %D%/address.c %D%/address.h \
    %D%/exposition.c %D%/exposition.h \
    %D%/families.c %D%/families.h \
    %D%/metrics_page.c %D%/metrics_page.h \
    %D%/prometheus_sink.c
sinks_prometheus_la_CFLAGS  = $(AM_CFLAGS) $(MICROHTTPD_CFLAGS) -pthread
sinks_prometheus_la_LIBADD  = sinks/common/libcommon.la $(MICROHTTPD_LIBS) -lm
sinks_prometheus_la_LDFLAGS = $(SINK_LDFLAGS)
