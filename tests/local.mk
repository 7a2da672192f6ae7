# SPDX-License-Identifier: MIT
# One program has all Check suites: a file adds itself with SUITE(name), see support/suite.h.
# Files of core/ are listed here if their suites test functions that the library does not export.
if HAVE_CHECK
check_PROGRAMS += tests/check
CHECK_LAST      = run-check
endif
tests_check_CPPFLAGS = $(AM_CPPFLAGS) -DSRCDIR='"$(abs_top_srcdir)"' -DBUILDDIR='"$(abs_top_builddir)"' \
                       -DSINKDIR='"$(sinkdir)"'
tests_check_CFLAGS   = $(AM_CFLAGS) $(CHECK_CFLAGS) $(JANSSON_CFLAGS) -pthread
tests_check_LDADD    = libstepwatch.la core/stragglers/libstragglers.la core/text/libtext.la $(CHECK_LIBS) $(JANSSON_LIBS) -lm
tests_check_LDFLAGS  = $(AM_LDFLAGS) -pthread
tests_check_SOURCES  = \
    %D%/check.c \
    core/clock/clock.c \
    core/clock/clock_source.c \
    core/clock/deadline.c \
    core/counters/perf_mmap.c \
    core/delivery/queue.c \
    core/delivery/record.c \
    core/delivery/record_kinds.c \
    core/files/own_symbols.c \
    core/files/shared_object.c \
    core/media/pixels.c \
    core/media/vector_bins.c \
    core/media/vector_figures.c \
    core/ranks/launcher.c \
    core/ranks/rank.c \
    core/rows/cost.c \
    core/watchdog/stall.c \
    %D%/core/test_capture.c \
    %D%/core/test_address_space.c \
    %D%/core/test_addresses.c \
    %D%/core/test_all_ranks.c \
    %D%/core/test_logged_report.c \
    %D%/core/test_clock.c \
    %D%/core/test_cost.c \
    %D%/core/test_counters.c \
    %D%/core/test_words.c \
    %D%/core/test_parse.c \
    %D%/core/test_characters.c \
    %D%/core/test_escape.c \
    %D%/core/test_number.c \
    %D%/core/test_error.c \
    %D%/core/test_printable.c \
    %D%/core/test_snapshots.c \
    %D%/core/test_stream.c \
    %D%/core/test_ended_threads.c \
    %D%/core/test_environment.c \
    %D%/core/test_events.c \
    %D%/core/test_exit.c \
    %D%/core/test_figures.c \
    %D%/core/test_first_calls.c \
    %D%/core/test_floats.c \
    %D%/core/test_handlers.c \
    %D%/core/test_foreign_handlers.c \
    %D%/core/test_hot_path.c \
    %D%/core/test_inside.c \
    %D%/core/test_loop.c \
    %D%/core/test_map.c \
    %D%/core/test_moments.c \
    %D%/core/test_alike_steps.c \
    %D%/core/test_waiting_steps.c \
    %D%/core/test_quantile.c \
    %D%/core/test_queue.c \
    %D%/core/test_quiet.c \
    %D%/core/test_ranks.c \
    %D%/core/test_region_times.c \
    %D%/core/test_shapes.c \
    %D%/core/test_spans.c %D%/core/test_stragglers.c \
    %D%/core/test_alerts.c \
    %D%/core/test_closed.c \
    %D%/core/test_watchdog.c \
    %D%/core/test_vector.c \
    %D%/core/test_values.c \
    %D%/core/test_value_limits.c \
    %D%/core/test_want.c \
    %D%/core/test_windows.c \
    %D%/support/df.h \
    %D%/support/log_json.h \
    %D%/support/golden.c %D%/support/golden.h \
    %D%/support/probe.c %D%/support/probe.h \
    %D%/support/random_calls.c %D%/support/random_calls.h \
    %D%/support/recorder.c %D%/support/recorder.h \
    %D%/support/sanitized.h \
    %D%/support/suite.h \
    %D%/support/value_recorder.c %D%/support/value_recorder.h \
    %D%/support/wake_ups.c %D%/support/wake_ups.h \
    %D%/test_version.c

# Links the library's objects, so that it can test functions that are not exported.
check_PROGRAMS += tests/core/inside
tests_core_inside_SOURCES = %D%/core/direct.c %D%/core/direct.h %D%/core/inside.c %D%/core/inside.h %D%/core/random_threads.c %D%/fuzz/fuzz_events.c
tests_core_inside_CFLAGS  = $(AM_CFLAGS) -pthread
tests_core_inside_LDADD   = $(libstepwatch_la_OBJECTS) $(libstepwatch_la_LIBADD)
tests_core_inside_LDFLAGS = $(AM_LDFLAGS) -pthread

# Of the long suites, those that work come before those that wait: suites begin in the order in which they are linked.
include tests/config/local.mk
include tests/monitors/local.mk
include tests/loggers/local.mk
include tests/mlflow/local.mk
include tests/mpi/local.mk
include tests/scripts/local.mk
include tests/plugins/local.mk
include tests/sinks/local.mk
include tests/tools/local.mk
include tests/tensorboard/local.mk
include tests/faults/local.mk
include tests/field/local.mk
include tests/wandb/local.mk
include tests/fuzz/local.mk

# Uses the plugins of the build tree, not those of an installed stepwatch. Tests that call make are no part of its jobs.
TEST_ENVIRONMENT = STEPWATCH_PLUGIN_PATH=$(abs_top_builddir)/sinks/.libs MAKEFLAGS=s

# What the tests run. `make -j2 check-programs` before `make check` builds it with several jobs; the tests themselves run one
# after the other.
.PHONY: run-check check-programs
check-programs: $(check_PROGRAMS) $(bin_PROGRAMS) $(sink_LTLIBRARIES) $(monitor_LTLIBRARIES) $(check_LTLIBRARIES) $(check_against_programs)
run-check: check-programs
	$(TEST_ENVIRONMENT) $(CHECK_WRAPPER) tests/check
