# SPDX-License-Identifier: MIT
# Preloaded or linked into programs; a static program links libstepwatch-memory.a, which libtool makes with
# --disable-shared. It has no code of a sanitizer: its functions run before a sanitizer has begun. gcc must not turn
# malloc() and memset() into a call of calloc().
lib_LTLIBRARIES += libstepwatch-memory.la
memory_cflags    = -std=gnu11 -fvisibility=hidden -fno-builtin -fexceptions $(WARN_CFLAGS)
libstepwatch_memory_la_CFLAGS  = $(memory_cflags)
memory_archive_sources         = %D%/aligned_calls.h %D%/malloc_wrappers.c %D%/thread_totals.c %D%/thread_totals.h
EXTRA_DIST += %D%/memory.map
if SHARED
libstepwatch_memory_la_LDFLAGS = -shared -version-info 1:0:0 -Wl,--version-script=$(srcdir)/%D%/memory.map
EXTRA_libstepwatch_memory_la_DEPENDENCIES = $(srcdir)/%D%/memory.map
libstepwatch_memory_la_SOURCES = \
    %D%/aligned_calls.h \
    %D%/allocator.c %D%/allocator.h \
    %D%/cxx.c \
    %D%/interposed.c \
    %D%/thread_totals.c %D%/thread_totals.h
lib_LIBRARIES += libstepwatch-memory.a
libstepwatch_memory_a_CFLAGS  = $(memory_cflags)
libstepwatch_memory_a_SOURCES = $(memory_archive_sources)
libstepwatch_memory_a_AR      = $(AR) cr
else
libstepwatch_memory_la_SOURCES = $(memory_archive_sources)
endif
