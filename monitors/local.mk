# SPDX-License-Identifier: MIT
# Code that monitors share is linked into each of them, because a plugin has no undefined symbols of stepwatch.
noinst_LTLIBRARIES += monitors/common/libmachine.la
monitors_common_libmachine_la_CFLAGS  = $(AM_CFLAGS)
monitors_common_libmachine_la_SOURCES = \
    %D%/common/cgroup.c %D%/common/cgroup.h \
    %D%/common/kernel_files.c %D%/common/kernel_files.h \
    %D%/common/machine_counts.c %D%/common/machine_counts.h

# A monitor: sinks_NAME_la_SOURCES, _LIBADD with what it needs, _LDFLAGS with $(MONITOR_LDFLAGS).
include %D%/gpu/local.mk
include %D%/rapl/local.mk
include %D%/system/local.mk
