# SPDX-License-Identifier: MIT
# The suite mlflow in tests/check, and uploads to the real server (make check-mlflow).
EXTRA_DIST += tests/faults/mlflow_rows.py %D%/mlflow_server.c %D%/mlflow_server.h %D%/server.py %D%/test_mlflow.c %D%/test_mlflow_limits.c %D%/test_mlflow_rotation.c %D%/rich_log.c %D%/rich_log.h %D%/rich_program.c %D%/test_mlflow_settings.c %D%/test_mlflow_values.c %D%/readback.py %D%/real_server.py %D%/with-mlflow \
    tests/golden/mlflow/run.jsonl tests/golden/mlflow/sink.jsonl
if HAVE_SEND
tests_check_SOURCES += %D%/mlflow_server.c %D%/rich_log.c %D%/test_mlflow.c %D%/test_mlflow_limits.c %D%/test_mlflow_rotation.c %D%/test_mlflow_settings.c %D%/test_mlflow_values.c
tests_check_LDADD   += sinks/mlflow/libtracking.la sinks/mlflow/libserver.la net/libsend.la net/libplace.la

check_PROGRAMS += %D%/rich_program
%C%_rich_program_SOURCES = %D%/rich_log.c %D%/rich_program.c
%C%_rich_program_LDADD   = libstepwatch.la
%C%_rich_program_LDFLAGS = $(AM_LDFLAGS) -no-install

# make check uses mlflow if it is installed; check-mlflow installs it.
CHECK_AGAINST += mlflow/with-mlflow
check-mlflow: $(sink_LTLIBRARIES) $(bin_PROGRAMS) $(noinst_PROGRAMS) %D%/rich_program
	$(TEST_ENVIRONMENT) $(srcdir)/%D%/with-mlflow $(abs_top_srcdir) $(abs_top_builddir)
endif

.PHONY: check-mlflow
