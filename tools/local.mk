# SPDX-License-Identifier: MIT
if HAVE_JANSSON
bin_PROGRAMS += tools/stepwatch
endif
tools_stepwatch_SOURCES = \
    %D%/arguments.c \
    %D%/check.c \
    %D%/child.c %D%/child.h \
    %D%/collect.c %D%/collect.h \
    %D%/compare.c \
    %D%/comparison.c %D%/comparison.h \
    %D%/comparison_json.c \
    %D%/comparison_text.c \
    %D%/drawing_bar.c \
    %D%/drawing_durations.c \
    %D%/drawing_throughput.c \
    %D%/drawings.h \
    %D%/durations.c %D%/durations.h \
    %D%/found.c %D%/found.h \
    %D%/held.c %D%/held.h \
    %D%/init.c \
    %D%/interval.c %D%/interval.h \
    %D%/log.c %D%/log.h \
    %D%/main.c \
    %D%/means.c %D%/means.h \
    %D%/page.c %D%/page.h \
    %D%/player.c %D%/player.h \
    %D%/progress.c %D%/progress.h \
    %D%/replay.c %D%/replay.h \
    %D%/replaying.c \
    %D%/report.c \
    %D%/report_json.c %D%/report_json.h \
    %D%/runs.c %D%/runs.h \
    %D%/say.c %D%/say.h \
    %D%/scale.c %D%/scale.h \
    %D%/run.c \
    %D%/set.c %D%/set.h \
    %D%/sinks.c \
    %D%/steps.c %D%/steps.h \
    %D%/sync.c \
    %D%/told.c %D%/told.h \
    %D%/text.c %D%/text.h \
    %D%/tools.h \
    %D%/verify.c %D%/verify.h
tools_stepwatch_CFLAGS = $(AM_CFLAGS) $(JANSSON_CFLAGS)
tools_stepwatch_LDADD  = libstepwatch.la $(JANSSON_LIBS) -lm
if HAVE_UPLOAD
tools_stepwatch_LDADD += libstepwatch-wandb.la
endif

# The command's man page and completions, where the shells look for them.
if HAVE_JANSSON
dist_man1_MANS += docs/man/stepwatch.1
bashcompletiondir       = $(datadir)/bash-completion/completions
nodist_bashcompletion_DATA = %D%/completion/stepwatch
zshcompletiondir        = $(datadir)/zsh/site-functions
dist_zshcompletion_DATA = %D%/completion/_stepwatch
endif
CLEANFILES += tools/completion/stepwatch

# bash wants it under the command's name.
tools/completion/stepwatch: tools/completion/stepwatch.bash
	$(AM_V_GEN)$(MKDIR_P) tools/completion && cp $(srcdir)/tools/completion/stepwatch.bash $@
EXTRA_DIST += docs/command.md docs/man/stepwatch.1 tools/completion/stepwatch.bash tools/completion/_stepwatch \
              tests/scripts/command.sh tests/scripts/complete.bash tests/scripts/complete.zsh
