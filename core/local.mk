# SPDX-License-Identifier: MIT
lib_LTLIBRARIES += libstepwatch.la
libstepwatch_la_CPPFLAGS = $(AM_CPPFLAGS) -DSINKDIR='"$(sinkdir)"'
libstepwatch_la_CFLAGS   = $(AM_CFLAGS) $(YAML_CFLAGS) -pthread
libstepwatch_la_LDFLAGS  = $(AM_LDFLAGS) -version-info 1:0:0 -export-symbols-regex '^sw_' -pthread
libstepwatch_la_LIBADD   = $(YAML_LIBS)
libstepwatch_la_SOURCES  = \
    common/characters.h \
    common/shared.c common/shared.h \
    %D%/action.c \
    %D%/action.h \
    %D%/alone.c \
    %D%/alone.h \
    %D%/child.c \
    %D%/child.h \
    %D%/clock.c \
    %D%/clock.h \
    %D%/deadline.c \
    %D%/deadline.h \
    %D%/descriptor.c \
    %D%/descriptor.h \
    %D%/elapsed.c \
    %D%/elapsed.h \
    %D%/emit.c \
    %D%/environment.c \
    %D%/environment.h \
    %D%/event.c \
    %D%/exit.c \
    %D%/exit.h \
    %D%/fault.c \
    %D%/fault.h \
    %D%/file.c \
    %D%/file.h \
    %D%/fit.c \
    %D%/folders.c \
    %D%/folders.h \
    %D%/found.c \
    %D%/gap.c \
    %D%/histogram.c \
    %D%/histogram.h \
    %D%/linked.c \
    %D%/linked.h \
    %D%/loader.c \
    %D%/loader.h \
    %D%/messages.c \
    %D%/messages.h \
    %D%/mistakes.c \
    %D%/mistakes.h \
    %D%/misuse.c \
    %D%/misuse.h \
    %D%/names.c \
    %D%/nearest.c \
    %D%/nearest.h \
    %D%/option_path.c %D%/option_path.h \
    %D%/option_value.c \
    %D%/options.c \
    %D%/options.h \
    %D%/outputs.c \
    %D%/outputs.h \
    %D%/owner.c \
    %D%/parse.c \
    %D%/parse.h \
    %D%/pause.c \
    %D%/pipeline.c \
    %D%/pipeline.h \
    %D%/places.c \
    %D%/places.h \
    %D%/profiler.c \
    %D%/profiler.h \
    %D%/queue.c \
    %D%/queue.h \
    %D%/quote.c \
    %D%/quote.h \
    %D%/record.c \
    %D%/record.h \
    %D%/region.c \
    %D%/register.c \
    %D%/register.h \
    %D%/report.c \
    %D%/row.c \
    %D%/row.h \
    %D%/say.c \
    %D%/services.c \
    %D%/services.h \
    %D%/settings.c \
    %D%/settings.h \
    %D%/shown.c \
    %D%/shown.h \
    %D%/signals.c \
    %D%/signals.h \
    %D%/state.h \
    %D%/step.c \
    %D%/stream.c \
    %D%/stream.h \
    %D%/thread.c \
    %D%/thread.h \
    %D%/trial.c \
    %D%/trial.h \
    %D%/trust.c \
    %D%/trust.h \
    %D%/version.c \
    %D%/walk.c \
    %D%/walk.h \
    %D%/window.c \
    %D%/window.h \
    %D%/worker.c \
    %D%/worker.h
