# SPDX-License-Identifier: MIT
tests_check_SOURCES += \
    tools/compare/interval.c \
    %D%/test_interval.c

EXTRA_DIST += tests/golden/advice tests/golden/foreign tests/golden/timeline/run.json tests/golden/timeline/timeline.folded

# These tests run the command itself, thousands of times: without the script that libtool starts a program with before it is
# installed, which takes four times as long as the command.
if HAVE_JANSSON
check_PROGRAMS += tests/tools/stepwatch
tests_tools_stepwatch_SOURCES =
tests_tools_stepwatch_LDADD   = $(tools_stepwatch_OBJECTS) $(tools_stepwatch_LDADD)
tests_tools_stepwatch_LDFLAGS = $(AM_LDFLAGS) -no-install
# automake does not see that it is made of these.
EXTRA_tests_tools_stepwatch_DEPENDENCIES = $(tools_stepwatch_OBJECTS)

tests_check_SOURCES += \
    %D%/command.c %D%/command.h \
    %D%/test_check_rate.c \
    %D%/test_command.c \
    %D%/test_compare.c \
    %D%/test_counted_log.c \
    %D%/test_explain.c \
    %D%/test_export.c \
    %D%/test_figures.c \
    %D%/test_flops.c \
    %D%/test_foreign_text.c \
    %D%/test_forms.c \
    %D%/test_stacks.c \
    %D%/test_init.c \
    %D%/test_json.c \
    %D%/test_log_value.c \
    %D%/test_long_logs.c \
    %D%/test_merge.c \
    %D%/test_page.c \
    %D%/test_random_log.c \
    %D%/test_results_log.c \
    %D%/test_thinned_log.c \
    %D%/test_values.c \
    %D%/test_progress.c \
    %D%/test_runs.c \
    %D%/test_run.c \
    %D%/test_schedule.c \
    %D%/test_watch.c tools/watch/follow.c tools/watch/series.c \
    %D%/test_windowed_log.c

EXTRA_DIST += %D%/test_compressed.c
if HAVE_ZLIB
tests_check_SOURCES += %D%/test_compressed.c
endif

# -no-install, so that there is no wrapper script: the tests send signals to the program.
check_PROGRAMS += tests/tools/loop
tests_tools_loop_SOURCES = %D%/loop.c
tests_tools_loop_LDADD   = libstepwatch.la
tests_tools_loop_LDFLAGS = $(AM_LDFLAGS) -no-install

if HAVE_SEND
tests_check_SOURCES += %D%/test_sync.c
endif
endif
