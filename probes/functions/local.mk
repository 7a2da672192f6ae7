# SPDX-License-Identifier: MIT
# Preloaded or linked into programs that are compiled with -finstrument-functions, or sampled. It has no code of a sanitizer: programs
# that it is preloaded into have none either. There is no archive of it: only the loader finds the functions of libc that ours
# stand before, and libc.a would define them twice.
EXTRA_DIST += %D%/functions.map
if SHARED
lib_LTLIBRARIES += libstepwatch-functions.la
nodist_pkgconfig_DATA += stepwatch-functions.pc
libstepwatch_functions_la_CFLAGS  = -std=gnu11 -fvisibility=hidden $(WARN_CFLAGS) -pthread
libstepwatch_functions_la_LDFLAGS = -shared -version-info 1:0:0 -pthread -Wl,-z,now -Wl,--version-script=$(srcdir)/%D%/functions.map
EXTRA_libstepwatch_functions_la_DEPENDENCIES = $(srcdir)/%D%/functions.map
libstepwatch_functions_la_SOURCES = \
    %D%/full_tree.c %D%/full_tree.h \
    %D%/chosen_times.c \
    %D%/call_context.c %D%/call_context.h \
    %D%/cpu_samples.c %D%/cpu_samples.h \
    %D%/format.h \
    %D%/frame_rules.c %D%/frame_rules.h \
    %D%/held_signals.h \
    %D%/hooks.c \
    %D%/jumps.c \
    %D%/libc_calls.c %D%/libc_calls.h \
    %D%/library.c \
    %D%/mappings.c %D%/mappings.h \
    %D%/nodes.c %D%/nodes.h \
    %D%/thread_state.c %D%/thread_state.h \
    %D%/own_signal.c %D%/own_signal.h \
    %D%/program_signals.c \
    %D%/regions.c \
    %D%/sampler.c %D%/sampler.h \
    %D%/stack_walk.c %D%/stack_walk.h \
    %D%/start.c %D%/start.h \
    %D%/store.c %D%/store.h \
    %D%/table_bytes.c %D%/table_bytes.h \
    %D%/thread_starts.c \
    %D%/threads.c %D%/threads.h \
    %D%/waiting.c %D%/waiting.h \
    %D%/waiting_stack.c
endif
