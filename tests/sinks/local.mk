# SPDX-License-Identifier: MIT
# A program that prints the options as the tests see them, to compare by hand.
CLEANFILES += tests/options.txt
tests_check_LDADD   += sinks/common/libcommon.la -ldl
tests_check_CPPFLAGS += -DTEST_SINKS='"$(sink_LTLIBRARIES)"'
tests_check_SOURCES += \
    tests/core/test_golden.c \
    tests/sinks/test_call_paths.c \
    tests/sinks/test_csv.c \
    tests/sinks/test_findings.c \
    tests/sinks/test_markdown.c \
    tests/sinks/test_options.c \
    tests/sinks/test_placeholders.c \
    tests/sinks/test_prometheus.c \
    tests/sinks/test_prometheus_clients.c \
    tests/sinks/test_prometheus_page.c \
    tests/sinks/test_regions.c \
    tests/sinks/test_runlog.c \
    sinks/table/progress_line.c \
    sinks/table/run_progress.c \
    tests/sinks/test_live_line.c \
    tests/sinks/test_progress.c \
    tests/sinks/test_table.c \
    tests/sinks/test_thinning.c \
    tests/sinks/test_trace.c \
    tests/support/timelines.c tests/support/timelines.h \
    tests/support/host.c tests/support/host.h \
    tests/support/page_client.c tests/support/page_client.h \
    tests/support/screen.c tests/support/screen.h \
    tests/support/terminal.c tests/support/terminal.h
EXTRA_DIST += \
    docs/run-log.md docs/writing-sinks.md \
    examples/custom_monitor/room.c examples/custom_monitor/stepwatch.yaml \
    examples/custom_sink/best.c examples/custom_sink/slowest.cpp examples/custom_sink/stepwatch.yaml \
    tests/golden/flops/flops.json \
    tests/golden/resources/counters/cases.json \
    tests/golden/resources/perf/pages.json \
    tests/golden/lightning/simple_profiler.json \
    tests/golden/options.txt \
    tests/golden/torch/table_cpu_memory.json \
    tests/golden/torch/table_cpu_nested.json \
    tests/golden/torch/table_stacks.json \
    tests/golden/ranks/merge \
    tests/golden/schedule/schedule.json \
    tests/golden/ranks/rank_cases.json \
    tests/golden/ranks/straggler_cases.json \
    tests/golden/fastxtend/percent_samples_cases.json \
    tests/golden/fastxtend/scale_time_cases.json \
    tests/golden/fastxtend/simple_2epoch_ragged.json \
    tests/golden/fastxtend/simple_earlystop.json \
    tests/golden/fastxtend/simple_nodrop_scales.json \
    tests/golden/fastxtend/spec_fit_cancelled_mid_batch.json \
    tests/golden/fastxtend/spec_gradient_accumulation.json \
    tests/golden/fastxtend/spec_no_valid_batches.json \
    tests/golden/fastxtend/throughput_3epoch_roll5.json \
    tests/golden/fastxtend/wandb_summary_array_cases.json
EXTRA_DIST += tests/sinks/test_compressed_log.c tests/support/packed.c tests/support/packed.h tests/sinks/test_libcurl.c tests/sinks/test_sqlite.c tests/sinks/test_sqlite_rotation.c tests/sinks/test_push.c
if HAVE_ZLIB
tests_check_SOURCES += tests/sinks/test_compressed_log.c tests/support/packed.c tests/support/packed.h sinks/runlog/log_frames.c
tests_check_CFLAGS  += $(ZLIB_CFLAGS)
tests_check_LDADD   += $(ZLIB_LIBS)
endif
if HAVE_SEND
tests_check_SOURCES += tests/sinks/test_libcurl.c tests/sinks/test_push.c sinks/prometheus/pushing.c
endif
if HAVE_SQLITE
tests_check_SOURCES += tests/sinks/test_sqlite.c tests/sinks/test_sqlite_rotation.c
tests_check_CFLAGS  += $(SQLITE_CFLAGS)
tests_check_LDADD   += $(SQLITE_LIBS)
endif
