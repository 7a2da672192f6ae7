# SPDX-License-Identifier: MIT
# Preloaded or linked into programs; a static program links libstepwatch-memory.a. It has no code of a sanitizer: its
# functions run before a sanitizer has begun. gcc must not turn malloc() and memset() into a call of calloc().
lib_LTLIBRARIES += libstepwatch-memory.la
lib_LIBRARIES   += libstepwatch-memory.a
memory_cflags    = -std=gnu11 -fvisibility=hidden -fno-builtin -fexceptions $(WARN_CFLAGS)
libstepwatch_memory_la_CFLAGS  = $(memory_cflags)
libstepwatch_memory_la_LDFLAGS = -shared -version-info 1:0:0 -Wl,--version-script=$(srcdir)/%D%/memory.map
EXTRA_libstepwatch_memory_la_DEPENDENCIES = $(srcdir)/%D%/memory.map
EXTRA_DIST += %D%/memory.map
libstepwatch_memory_la_SOURCES = \
    %D%/allocator.c %D%/allocator.h \
    %D%/cxx.c \
    %D%/dlsym_memory.c %D%/dlsym_memory.h \
    %D%/interposed.c \
    %D%/operators.c %D%/operators.h \
    %D%/resize.h \
    %D%/sanitizer.c %D%/sanitizer.h \
    %D%/thread_totals.c %D%/thread_totals.h
libstepwatch_memory_a_CFLAGS  = $(memory_cflags)
libstepwatch_memory_a_SOURCES = %D%/malloc_wrappers.c %D%/thread_totals.c
libstepwatch_memory_a_AR      = $(AR) cr
