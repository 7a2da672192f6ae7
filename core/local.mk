# SPDX-License-Identifier: MIT
# Linked whole into the library, the sinks and the command: none of them has a symbol of another.
noinst_LTLIBRARIES += %D%/text/libtext.la
%C%_text_libtext_la_CFLAGS  = $(AM_CFLAGS)
%C%_text_libtext_la_SOURCES = \
    %D%/text/address_user.c %D%/text/address_user.h \
    %D%/text/buffer.c %D%/text/buffer.h \
    %D%/text/digest.c %D%/text/digest.h \
    %D%/text/digits.h \
    %D%/text/characters.c %D%/text/characters.h \
    %D%/text/escape.c %D%/text/escape.h \
    %D%/text/folded.h \
    %D%/text/ids.c %D%/text/ids.h \
    %D%/text/io_code.h \
    %D%/text/config_mistakes.c %D%/text/config_mistakes.h \
    %D%/text/map.c %D%/text/map.h \
    %D%/text/opened.h \
    %D%/text/parts.h \
    %D%/text/path_text.c %D%/text/path_text.h \
    %D%/text/exact_number.c %D%/text/exact_number.h \
    %D%/text/number.c %D%/text/number.h \
    %D%/text/parse.c %D%/text/parse.h \
    %D%/text/vec.c %D%/text/vec.h \
    %D%/text/printable.c %D%/text/printable.h \
    %D%/text/curve.c %D%/text/curve.h \
    %D%/text/names.c %D%/text/names.h \
    %D%/text/wire.c %D%/text/wire.h

# Finds which rank keeps the others waiting: for the command, which reads run logs, and for engines that join the ranks
# while they run.
noinst_LTLIBRARIES += %D%/stragglers/libstragglers.la
%C%_stragglers_libstragglers_la_CFLAGS  = $(AM_CFLAGS)
%C%_stragglers_libstragglers_la_SOURCES = \
    %D%/stragglers/order_statistics.c %D%/stragglers/order_statistics.h \
    %D%/stragglers/duration_bins.c \
    %D%/stragglers/slowest.c \
    %D%/stragglers/late_rank.c \
    %D%/stragglers/lateness.c %D%/stragglers/lateness.h \
    %D%/stragglers/straggler.c %D%/stragglers/straggler.h \
    %D%/stragglers/straggler_sentence.c \
    %D%/stragglers/rank_sums.c

# Finds where a run loses time: for the library, when a fit is over, and for the command, which reads run logs.
# A rule is a file of its own and a line in advice/rules.h.
noinst_LTLIBRARIES += %D%/advice/libadvice.la
%C%_advice_libadvice_la_CFLAGS  = $(AM_CFLAGS)
%C%_advice_libadvice_la_SOURCES = \
    %D%/advice/advice.c %D%/advice/advice.h \
    %D%/advice/analysis.c %D%/advice/analysis.h \
    %D%/advice/periods.c \
    %D%/advice/rules.h \
    %D%/advice/sample_statistics.c %D%/advice/sample_statistics.h \
    %D%/advice/finding_draft.c \
    %D%/advice/slow_parts.c \
    %D%/advice/rule_drift.c \
    %D%/advice/rule_epoch_start.c \
    %D%/advice/rule_input_bound.c \
    %D%/advice/rule_launches_only.c \
    %D%/advice/rule_loader_bursts.c \
    %D%/advice/rule_memory_growth.c \
    %D%/advice/rule_misuse.c \
    %D%/advice/rule_never_ended.c \
    %D%/advice/rule_overhead.c \
    %D%/advice/rule_periodic.c \
    %D%/advice/rule_phase.c \
    %D%/advice/rule_ragged.c \
    %D%/advice/rule_slow_tail.c \
    %D%/advice/rule_straggler.c \
    %D%/advice/rule_tiny_steps.c \
    %D%/advice/rule_two_kinds.c \
    %D%/advice/rule_unmeasured.c \
    %D%/advice/rule_unmeasured_batch.c \
    %D%/advice/rule_validation.c \
    %D%/advice/rule_warm_up.c

lib_LTLIBRARIES += libstepwatch.la
libstepwatch_la_CPPFLAGS = $(AM_CPPFLAGS) -DSINKDIR='"$(sinkdir)"'
libstepwatch_la_CFLAGS   = $(AM_CFLAGS) $(YAML_CFLAGS) $(CURL_CFLAGS) $(ZLIB_CFLAGS) -pthread
EXTRA_DIST += %D%/stepwatch.map
EXTRA_libstepwatch_la_DEPENDENCIES = $(srcdir)/%D%/stepwatch.map
# What the library calls of its own functions is its own, also if the program has another copy.
libstepwatch_la_LDFLAGS  = $(AM_LDFLAGS) -version-info 1:0:0 -Wl,--version-script=$(srcdir)/%D%/stepwatch.map \
                           -Wl,-Bsymbolic-functions -pthread
libstepwatch_la_LIBADD   = %D%/advice/libadvice.la %D%/stragglers/libstragglers.la %D%/text/libtext.la $(YAML_LIBS)
libstepwatch_la_SOURCES  = \
    $(net_place) \
    %D%/clock/clock.c %D%/clock/clock.h \
    %D%/clock/clock_source.c \
    %D%/clock/deadline.c %D%/clock/deadline.h \
    %D%/clock/now.h \
    %D%/files/file.c %D%/files/file.h \
    %D%/files/target.c \
    %D%/files/write_lock.c %D%/files/write_lock.h \
    %D%/files/identity.h \
    %D%/files/in_place.h \
    %D%/files/own_table.h \
    %D%/files/own_symbols.c %D%/files/own_symbols.h \
    %D%/files/shared_object.c \
    %D%/files/stream.c \
    %D%/files/walk.c %D%/files/walk.h \
    %D%/process/child.c %D%/process/child.h \
    %D%/process/capture_request.c %D%/process/capture_request.h \
    %D%/process/environment.c %D%/process/environment.h \
    %D%/process/crash.c \
    %D%/process/handlers.c %D%/process/handlers.h \
    %D%/process/hot_code.h \
    %D%/process/own_floats.h \
    %D%/process/plugin_threads.h \
    %D%/process/own_thread.c %D%/process/own_thread.h \
    %D%/process/resources.c %D%/process/resources.h \
    %D%/process/object_file.c %D%/process/object_file.h \
    %D%/process/signals.c %D%/process/signals.h \
    %D%/ranks/launcher.c \
    %D%/ranks/rank.c %D%/ranks/rank.h \
    %D%/rows/action.c %D%/rows/action.h \
    %D%/rows/cost.c %D%/rows/cost.h \
    %D%/rows/counter_slots.c \
    %D%/rows/counter_use.c %D%/rows/counter_use.h \
    %D%/rows/current_profiler.h \
    %D%/rows/fold_memory.c %D%/rows/fold_memory.h \
    %D%/rows/measured.c %D%/rows/measured.h \
    %D%/rows/newest_steps.c %D%/rows/newest_steps.h \
    %D%/rows/row.c %D%/rows/row.h \
    %D%/rows/event_pool.c \
    %D%/rows/thread.c %D%/rows/thread.h \
    %D%/counters/counter.h \
    %D%/counters/cpu.c \
    %D%/counters/cpu_wait.c \
    %D%/counters/perf_events.c %D%/counters/perf_events.h %D%/counters/perf_mmap.c \
    %D%/counters/hardware_counters.c \
    %D%/counters/named_events.c \
    %D%/counters/counted_memory.c %D%/counters/counted_memory.h \
    %D%/counters/rusage.c \
    %D%/counters/counter_table.c \
    %D%/counters/user.c \
    %D%/trace/trace.c %D%/trace/trace.h \
    %D%/media/budget.c %D%/media/budget.h \
    %D%/media/lanes.h \
    %D%/media/pictures.c %D%/media/pictures.h \
    %D%/media/pixels.c \
    %D%/media/vector_bins.c \
    %D%/media/vector_figures.c %D%/media/vector_figures.h \
    %D%/plugins/descriptor.c \
    %D%/plugins/folders.c \
    %D%/plugins/kind.c %D%/plugins/kind.h \
    %D%/plugins/loader.c \
    %D%/plugins/option_parse.c %D%/plugins/option_parse.h \
    %D%/plugins/options.c %D%/plugins/options.h \
    %D%/plugins/placeholders.c \
    %D%/plugins/search.c %D%/plugins/search.h \
    %D%/plugins/settings.c %D%/plugins/settings.h \
    %D%/plugins/trust.c %D%/plugins/trust.h \
    %D%/delivery/dispatcher.c %D%/delivery/dispatcher.h \
    %D%/delivery/messages.c %D%/delivery/messages.h \
    %D%/delivery/monitor.c %D%/delivery/monitor.h \
    %D%/delivery/pipeline.c %D%/delivery/pipeline.h \
    %D%/delivery/queue.c %D%/delivery/queue.h \
    %D%/delivery/record.c %D%/delivery/record.h %D%/delivery/record_kinds.c \
    %D%/delivery/sink_services.c %D%/delivery/sink_services.h \
    %D%/delivery/sink_calls.c \
    %D%/delivery/sink_files.c \
    %D%/delivery/sink_loading.c %D%/delivery/sink_loading.h \
    %D%/delivery/worker.c %D%/delivery/worker.h \
    %D%/delivery/worker_messages.c \
    %D%/report/columns.c %D%/report/columns.h \
    %D%/report/counter_columns.c %D%/report/counter_columns.h \
    %D%/report/fit_findings.c %D%/report/fit_findings.h \
    %D%/report/report_snapshot.c %D%/report/report_snapshot.h \
    %D%/report/report.c %D%/report/report.h \
    %D%/report/shared_report.c \
    %D%/report/row_sources.c %D%/report/row_sources.h \
    %D%/records/alert_record.c \
    %D%/records/recorder.c %D%/records/recorder.h \
    %D%/records/metric_names.c \
    %D%/records/metric_record.c %D%/records/metric_record.h \
    %D%/records/rolling_average.c %D%/records/rolling_average.h \
    %D%/records/report_record.c %D%/records/report_record.h \
    %D%/records/ranks_record.c \
    %D%/records/refusals.c \
    %D%/values/log_file.c \
    %D%/values/log_histogram.c \
    %D%/values/log_hparam.c \
    %D%/values/log_images.c \
    %D%/values/logging.c %D%/values/logging.h \
    %D%/values/log_rule.c \
    %D%/values/log_table.c \
    %D%/values/log_text.c \
    %D%/loop/alert.c \
    %D%/monitors/monitors.c %D%/monitors/monitors.h \
    %D%/loop/calling_thread.c %D%/loop/calling_thread.h \
    %D%/loop/capture.c \
    %D%/loop/callback_events.c \
    %D%/loop/counter_reading.c \
    %D%/loop/fold.c %D%/loop/fold.h %D%/loop/fold_begin.c %D%/loop/fold_events.c \
    %D%/loop/near_stack.c %D%/loop/near_stack.h %D%/loop/note_event.c %D%/loop/note_event.h \
    %D%/loop/fit.c %D%/loop/fit.h \
    %D%/loop/counting.c %D%/loop/counting.h \
    %D%/loop/inherited_profiler.c \
    %D%/loop/log_number.c \
    %D%/loop/misuse.c %D%/loop/misuse.h \
    %D%/loop/notify_probe.c \
    %D%/loop/region.c \
    %D%/loop/region_events.c %D%/loop/region_events.h \
    %D%/loop/report_calls.c \
    %D%/loop/timed_calls.h \
    %D%/loop/replay_calls.c \
    %D%/loop/run_control.c \
    %D%/loop/spans.c %D%/loop/spans.h \
    %D%/loop/open_regions.c %D%/loop/open_regions.h \
    %D%/loop/state.h \
    %D%/loop/step.c %D%/loop/step.h \
    %D%/loop/tracing.c \
    %D%/loop/recording_windows.c %D%/loop/recording_windows.h \
    %D%/watchdog/messenger.c %D%/watchdog/messenger.h \
    %D%/watchdog/stall.c %D%/watchdog/stall.h \
    %D%/watchdog/watchdog.c %D%/watchdog/watchdog.h \
    %D%/watchdog/webhook.c \
    %D%/exit.c %D%/exit.h \
    %D%/finish.c \
    %D%/profiler.c %D%/profiler.h \
    %D%/run_info.c

if HAVE_CURL
libstepwatch_la_SOURCES += $(net_http)
endif
