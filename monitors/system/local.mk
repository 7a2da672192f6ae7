# SPDX-License-Identifier: MIT
# All but the plugin itself is a library, for tests with made-up machines.
noinst_LTLIBRARIES += monitors/system/libsystem.la
monitors_system_libsystem_la_CFLAGS  = $(AM_CFLAGS)
monitors_system_libsystem_la_SOURCES = \
    %D%/machine_use.c %D%/machine_use.h \
    %D%/this_process.c
monitors_system_libsystem_la_LIBADD = monitors/common/libmachine.la

monitor_LTLIBRARIES += sinks/system.la
sinks_system_la_SOURCES = %D%/system_monitor.c
sinks_system_la_LIBADD  = monitors/system/libsystem.la
sinks_system_la_LDFLAGS = $(MONITOR_LDFLAGS)
