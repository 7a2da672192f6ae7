# SPDX-License-Identifier: MIT
if HAVE_JANSSON
bin_PROGRAMS += tools/stepwatch
endif
tools_stepwatch_SHORTNAME = stepwatch
tools_stepwatch_SOURCES = \
    %D%/commands/arguments.c \
    %D%/commands/capture.c \
    %D%/commands/check.c \
    %D%/commands/check_rate.c %D%/commands/check_rate.h \
    %D%/commands/schedule.c \
    %D%/console/launch.c \
    %D%/log/collect.c %D%/log/collect.h \
    %D%/commands/compare.c \
    %D%/compare/comparison.c %D%/compare/comparison.h \
    %D%/compare/comparison_print.c \
    %D%/html/drawing_flames.c \
    %D%/html/drawing_throughput.c \
    %D%/compare/durations.c \
    %D%/commands/functions.c \
    %D%/functions/files.c %D%/functions/files.h \
    %D%/functions/preload.c %D%/functions/preload.h \
    %D%/functions/prof_file.c \
    %D%/log/missing_records.c \
    %D%/commands/explain.c \
    %D%/log/explained.c %D%/log/explained.h \
    %D%/log/fit_steps.c \
    %D%/log/log_fits.c %D%/log/log_fits.h \
    %D%/html/drawing_metrics.c \
    %D%/html/sections.c \
    %D%/commands/export.c \
    %D%/commands/init.c \
    %D%/compare/finding_changes.c \
    %D%/compare/interval.c %D%/compare/interval.h \
    %D%/log/log_lines.c %D%/log/log_lines.h \
    %D%/log/log_value.c %D%/log/log_value.h \
    %D%/log/parse_line.c \
    %D%/main.c \
    %D%/commands/merge.c \
    %D%/commands/plugin_list.c \
    %D%/merge/from_reports.c \
    %D%/merge/from_steps.c \
    %D%/merge/merged.h \
    %D%/merge/merged_data.c \
    %D%/merge/merged_notes.c \
    %D%/merge/merged_page.c \
    %D%/merge/merged_rows.c \
    %D%/merge/merged_tables.c %D%/merge/merged_tables.h \
    %D%/merge/merging.c \
    %D%/merge/rank_logs.c \
    %D%/merge/step_columns.c \
    %D%/merge/step_set.c \
    %D%/html/page.c %D%/html/page.h \
    %D%/html/page_durations.c %D%/html/page_parts.h \
    %D%/html/page_values.c \
    %D%/log/played_regions.c %D%/log/played_report.c %D%/log/played_steps.c \
    %D%/log/player.c %D%/log/player.h \
    %D%/log/waiting_values.c \
    %D%/log/progress.c \
    %D%/commands/replay.c %D%/log/run_replay.h \
    %D%/log/run_replay.c \
    %D%/commands/report.c \
    %D%/log/report_json.c %D%/log/report_json.h \
    %D%/console/tee.c %D%/console/console.h \
    %D%/html/scale.c \
    %D%/commands/runs.c \
    %D%/runs/find_runs.c \
    %D%/runs/log_ends.c \
    %D%/runs/recorded_runs.c %D%/runs/recorded_runs.h \
    %D%/commands/run.c \
    %D%/log/set_option.c \
    %D%/log/drawn_points.c \
    %D%/log/thinned_steps.c %D%/log/thinned_steps.h \
    %D%/commands/sync.c \
    %D%/log/value_line.c %D%/log/value_line.h \
    %D%/output/print.c %D%/output/print.h \
    %D%/output/print_json.c \
    %D%/export/host_clocks.c \
    %D%/export/exporting.c %D%/export/exporting.h \
    %D%/export/log_timeline.c %D%/export/log_timeline.h \
    %D%/export/tree_text.c \
    %D%/commands/watch.c \
    %D%/watch/folder.c \
    %D%/watch/follow.c %D%/watch/follow.h \
    %D%/watch/screen.c %D%/watch/screen.h \
    %D%/watch/screen_lines.c \
    %D%/watch/series.c %D%/watch/series.h \
    %D%/watch/full_screen.c \
    %D%/watch/watched.c %D%/watch/watched.h \
    %D%/watch/watched_state.c \
    %D%/commands/commands.h \
    %D%/log/call_chains.c \
    %D%/log/verify.c $(frame_codecs)
tools_stepwatch_CFLAGS = $(AM_CFLAGS) $(JANSSON_CFLAGS) $(LIBDW_CFLAGS) $(NCURSES_CFLAGS) $(SQLITE_CFLAGS) $(ZLIB_CFLAGS) $(ZSTD_CFLAGS)
tools_stepwatch_LDADD  = libstepwatch.la sinks/common/functions/libfunctions.la sinks/common/trace_formats/libtrace_formats.la core/advice/libadvice.la core/stragglers/libstragglers.la \
    core/text/libtext.la $(JANSSON_LIBS) $(LIBDW_LIBS) $(NCURSES_LIBS) $(SQLITE_LIBS) $(ZLIB_LIBS) $(ZSTD_LIBS) -lm
if HAVE_SEND
tools_stepwatch_LDADD += libstepwatch-wandb.la
tools_stepwatch_SOURCES += \
    %D%/uploads/uploads.c %D%/uploads/uploads.h
tools_stepwatch_LDADD += sinks/mlflow/libtracking.la sinks/mlflow/libserver.la net/libsend.la net/libplace.la core/text/libtext.la
endif

# The command's man page and completions, in the folders where the shells look for them.
if HAVE_JANSSON
dist_man1_MANS += docs/man/stepwatch.1
bashcompletiondir       = $(datadir)/bash-completion/completions
nodist_bashcompletion_DATA = %D%/completion/stepwatch
zshcompletiondir        = $(datadir)/zsh/site-functions
dist_zshcompletion_DATA = %D%/completion/_stepwatch
endif
CLEANFILES += tools/completion/stepwatch

# bash needs it under the command's name.
tools/completion/stepwatch: tools/completion/stepwatch.bash
	$(AM_V_GEN)$(MKDIR_P) tools/completion && cp $(srcdir)/tools/completion/stepwatch.bash $@
EXTRA_DIST += docs/command.md docs/man/stepwatch.1 tools/completion/stepwatch.bash tools/completion/_stepwatch \
              tests/scripts/command.sh tests/scripts/complete.bash tests/scripts/complete.zsh
