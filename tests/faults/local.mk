# SPDX-License-Identifier: MIT
# Scripts for rows of faults and bad input: docs/reliability.md has their figures. The suites `faults_…` of tests/check run
# nearly all of them with few trials; make check-faults runs all of them, and with FAULTS=--full with all trials.
check_PROGRAMS += tests/faults/loop tests/faults/crowd tests/faults/last tests/faults/opens tests/faults/throws
tests_faults_crowd_SOURCES = %D%/crowd.c
tests_faults_crowd_LDADD   = libstepwatch.la
tests_faults_crowd_CFLAGS  = $(AM_CFLAGS) -pthread
tests_faults_crowd_LDFLAGS = $(AM_LDFLAGS) -no-install

tests_faults_last_SOURCES = %D%/last.c
tests_faults_last_LDADD   = libstepwatch.la -ldl
tests_faults_last_CFLAGS  = $(AM_CFLAGS) -pthread
tests_faults_last_LDFLAGS = $(AM_LDFLAGS) -no-install

# -no-install, so that there is no wrapper script: a library is preloaded into the program, and it receives signals.
tests_faults_loop_SOURCES = %D%/loop.c
tests_faults_loop_LDADD   = libstepwatch.la -lm
tests_faults_loop_CFLAGS  = $(AM_CFLAGS) -pthread
tests_faults_loop_LDFLAGS = $(AM_LDFLAGS) -no-install

tests_faults_opens_SOURCES = %D%/opens.c
tests_faults_opens_LDADD   = libstepwatch.la
tests_faults_opens_LDFLAGS = $(AM_LDFLAGS) -no-install

tests_faults_throws_SOURCES = %D%/throws.cpp
tests_faults_throws_LDADD   = libstepwatch.la
tests_faults_throws_LDFLAGS = $(AM_LDFLAGS) -no-install

check_LTLIBRARIES += tests/faults/fickle.la
tests_faults_fickle_la_SOURCES = %D%/fickle.c
tests_faults_fickle_la_CFLAGS  = $(AM_CFLAGS) -pthread
tests_faults_fickle_la_LDFLAGS = $(PLUGIN_LDFLAGS)

check_LTLIBRARIES += tests/faults/hung.la
tests_faults_hung_la_SOURCES = %D%/hung.c
tests_faults_hung_la_LDFLAGS = $(PLUGIN_LDFLAGS)

# The program that loads this module does not link with stepwatch, so unloading the module would also unload the library.
check_PROGRAMS    += tests/faults/plugged
check_LTLIBRARIES += tests/faults/module.la
tests_faults_plugged_SOURCES = %D%/plugged.c
tests_faults_plugged_LDADD   = -ldl
tests_faults_module_la_SOURCES = %D%/module.c
tests_faults_module_la_LDFLAGS = $(PLUGIN_LDFLAGS)
tests_faults_module_la_LIBADD  = libstepwatch.la

check_LTLIBRARIES += tests/faults/around.la
tests_faults_around_la_SOURCES = %D%/around.c
tests_faults_around_la_CFLAGS  = -std=gnu11 -fvisibility=hidden $(WARN_CFLAGS)
tests_faults_around_la_LIBADD  = -ldl
tests_faults_around_la_LDFLAGS = -module -avoid-version $(MODULE_SHARED) -rpath /nowhere

check_LTLIBRARIES += tests/faults/shim.la
tests_faults_shim_la_SOURCES = %D%/shim.c
tests_faults_shim_la_CFLAGS  = -std=gnu11 -fvisibility=hidden -fno-builtin $(WARN_CFLAGS)
tests_faults_shim_la_LIBADD  = -ldl
tests_faults_shim_la_LDFLAGS = -module -avoid-version $(MODULE_SHARED) -rpath /nowhere

tests_check_SOURCES += %D%/test_faults.c
FAULTS_FILES = %D%/run %D%/faults.py %D%/leaks.supp %D%/accounts.py %D%/ends.py %D%/last.py %D%/disk.py %D%/torture.py %D%/many.py %D%/timelines.py %D%/closed.py %D%/compressed.py %D%/timeline_disks.py %D%/timeline_ends.py %D%/outputs.py %D%/clocks.py %D%/hostile.py %D%/hosts.py \
               %D%/readers.py %D%/inputs.py %D%/sinks.py %D%/logs.py %D%/own_cost.py %D%/advice.py %D%/databases.py %D%/scrapes.py %D%/senders.py
EXTRA_DIST  += $(FAULTS_FILES) docs/reliability.md

.PHONY: check-faults
check-faults: $(check_PROGRAMS) $(check_LTLIBRARIES) $(bin_PROGRAMS) $(sink_LTLIBRARIES)
	SRCDIR='$(abs_top_srcdir)' BUILDDIR='$(abs_top_builddir)' SANITIZER='$(SANITIZER_FLAGS)' \
	    python3 $(srcdir)/tests/faults/run $(FAULTS)
