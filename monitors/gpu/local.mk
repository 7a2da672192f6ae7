# SPDX-License-Identifier: MIT
# All but the plugin itself is a library, for tests with made-up machines and devices.
noinst_LTLIBRARIES += monitors/gpu/libgpu.la
monitors_gpu_libgpu_la_CFLAGS  = $(AM_CFLAGS)
monitors_gpu_libgpu_la_SOURCES = \
    %D%/cards.c %D%/cards.h \
    %D%/nvml.c %D%/nvml.h \
    %D%/nvml_calls.c \
    %D%/visible.c
monitors_gpu_libgpu_la_LIBADD = monitors/common/libmachine.la

monitor_LTLIBRARIES += sinks/gpu.la
sinks_gpu_la_SOURCES = %D%/gpu_monitor.c core/files/own_symbols.c core/files/own_symbols.h
sinks_gpu_la_LIBADD  = monitors/gpu/libgpu.la -ldl
sinks_gpu_la_LDFLAGS = $(MONITOR_LDFLAGS)
