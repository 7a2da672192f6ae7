# SPDX-License-Identifier: MIT
# Suites in tests/check, and uploads with the real wandb (make check-wandb).
EXTRA_DIST += \
    tests/golden/resources/machines/broken.json \
    tests/golden/resources/machines/container.json \
    tests/golden/resources/machines/none.json \
    tests/golden/resources/machines/v1.json \
    tests/golden/resources/machines/v2.json \
    tests/golden/rich/sweep.json tests/golden/rich/sweep2.json \
    tests/golden/wandb/custom_chart.jsonl \
    tests/golden/wandb/failed_exit1.jsonl \
    tests/golden/wandb/filestream_409_fatal.jsonl \
    tests/golden/wandb/filestream_429_retry_after.jsonl \
    tests/golden/wandb/filestream_500_retry.jsonl \
    tests/golden/wandb/handmade_sync.jsonl \
    tests/golden/wandb/idle_heartbeat.jsonl \
    tests/golden/wandb/minimal_client.jsonl \
    tests/golden/wandb/offline_sync.jsonl \
    tests/golden/wandb/online.jsonl \
    tests/golden/wandb/public_api_read.jsonl \
    tests/golden/wandb/resume_allow.jsonl \
    tests/golden/wandb/shared_mode.jsonl \
    tests/golden/wandb/upsert_409_retry.jsonl \
    %D%/console.py \
    %D%/defaults.py \
    %D%/names.py \
    %D%/programs.py \
    %D%/replay.py \
    %D%/same.py \
    %D%/server/__main__.py \
    %D%/server/faults.py \
    %D%/server/graphql.py \
    %D%/server/listener.py \
    %D%/server/reading.py \
    %D%/server/schema.py \
    %D%/server/store.py \
    %D%/server/sweep.py \
    %D%/service.py \
    %D%/sweep.py \
    %D%/sync.py \
    %D%/values.py \
    tests/faults/wandb_rows.py \
    %D%/with-wandb

tests_check_SOURCES += \
    sinks/wandb/history.c \
    sinks/wandb/media_files.c \
    sinks/wandb/output_log.c \
    sinks/wandb/printed_lines.c \
    sinks/wandb/fit_report.c \
    sinks/wandb/system_metrics.c \
    tests/support/service.c tests/support/service.h \
    tests/fuzz/fuzz_wandb.c \
    %D%/test_endings.c \
    %D%/test_environment.c \
    %D%/test_log.c \
    %D%/test_monitored.c \
    %D%/test_rows.c \
    %D%/test_run.c \
    %D%/test_reader.c \
    %D%/test_service.c \
    %D%/test_sink.c \
    %D%/test_sweep.c \
    %D%/test_system.c \
    %D%/test_tables.c \
    %D%/test_values.c \
    %D%/test_writer.c \
    %D%/test_variables.c

if HAVE_SEND
tests_check_LDADD   += sinks/wandb/libupload.la libstepwatch-wandb.la net/libsend.la
tests_check_SOURCES += \
    %D%/canned.c %D%/canned.h \
    %D%/test_artifacts.c \
    %D%/test_nested.c \
    %D%/online.c %D%/online.h \
    %D%/test_deaths.c \
    %D%/test_faults.c \
    tests/fuzz/fuzz_answers.c \
    %D%/test_answers.c \
    %D%/test_console.c \
    %D%/test_credentials.c \
    %D%/test_cut_off.c \
    %D%/test_http.c \
    %D%/test_kept.c \
    %D%/test_logged_values.c \
    %D%/test_values_sent.c \
    %D%/test_online.c \
    %D%/test_outage.c \
    %D%/test_resumed.c \
    %D%/test_retry.c \
    %D%/test_rotation.c \
    %D%/test_secrets.c \
    %D%/test_spill.c \
    %D%/test_stream.c \
    %D%/test_summary.c \
    %D%/test_sync.c \
    %D%/test_transcripts.c \
    %D%/test_yaml.c \
    %D%/test_waits.c \
    %D%/written.c %D%/written.h
endif
tests_check_CPPFLAGS += -DTEST_WANDB_SEEDS
# Libraries that libupload uses must come after it.
tests_check_LDADD   += sinks/wandb/librun.la net/libplace.la core/text/libtext.la

check_PROGRAMS += %D%/wandb-loop
%C%_wandb_loop_SOURCES = %D%/loop.c
%C%_wandb_loop_LDADD   = libstepwatch.la -lm
%C%_wandb_loop_LDFLAGS = $(AM_LDFLAGS) -no-install

check_PROGRAMS += %D%/wandb-values
%C%_wandb_values_SOURCES = %D%/values.c
%C%_wandb_values_LDADD   = libstepwatch.la -lm
%C%_wandb_values_LDFLAGS = $(AM_LDFLAGS) -no-install

# make check uses wandb if it is installed; check-wandb installs it.
CHECK_AGAINST += wandb/with-wandb
check-wandb: %D%/wandb-loop %D%/wandb-values tests/tools/loop $(sink_LTLIBRARIES) $(bin_PROGRAMS)
	$(TEST_ENVIRONMENT) $(srcdir)/%D%/with-wandb $(abs_top_srcdir) $(abs_top_builddir)

.PHONY: check-wandb
