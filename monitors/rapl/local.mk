# SPDX-License-Identifier: MIT
noinst_LTLIBRARIES += monitors/rapl/libzones.la
monitors_rapl_libzones_la_CFLAGS  = $(AM_CFLAGS)
monitors_rapl_libzones_la_SOURCES = %D%/zones.c %D%/zones.h
monitors_rapl_libzones_la_LIBADD  = monitors/common/libmachine.la

monitor_LTLIBRARIES += sinks/rapl.la
sinks_rapl_la_SOURCES = %D%/rapl_monitor.c
sinks_rapl_la_LIBADD  = monitors/rapl/libzones.la
sinks_rapl_la_LDFLAGS = $(MONITOR_LDFLAGS)
