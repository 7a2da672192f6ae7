/* SPDX-License-Identifier: MIT */
#include "tools/watch/screen.h"

#include "core/text/number.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct shown_action {
    const struct watched_action *action;
    struct watched_figures figures;
    double share;
};

static int by_sum(const void *a, const void *b)
{
    double x = ((const struct shown_action *)a)->figures.sum_ns;
    double y = ((const struct shown_action *)b)->figures.sum_ns;
    return (x < y) - (x > y);
}

/* The largest first. */
static size_t actions_find(const struct watched *run, const struct watched_figures *step,
                           struct shown_action *shown)
{
    for (size_t i = 0; i < run->actions; i++) {
        shown[i].action = &run->action[i];
        shown[i].figures = watched_figures(run, run->action[i].ns);
        shown[i].share = step->sum_ns > 0 ? shown[i].figures.sum_ns / step->sum_ns : 0;
    }
    qsort(shown, run->actions, sizeof *shown, by_sum);
    return run->actions;
}

/* As they come in a step. */
static void step_add(struct screen *screen, const struct watched *run,
                     const struct watched_figures *step, const struct shown_action *shown,
                     size_t count)
{
    struct swi_text *text = screen_add(screen, SCREEN_PLAIN);
    swi_text_put(text, "a step  ");
    swi_number_duration(text, step->mean_ns, screen->utf8);
    for (size_t i = 0; i < count; i++) {
        swi_text_put(text, "  ");
        bar_name(text, shown[i].action->name, 16, screen->utf8, false);
        swi_text_format(text, " %.0f %%", 100 * shown[i].share);
    }
    text = screen_add(screen, SCREEN_PLAIN);
    double width = (double)screen->columns, end = 0;
    size_t used = 0;
    for (size_t i = 0; i < run->actions; i++) {
        end += step->sum_ns > 0 ? watched_figures(run, run->action[i].ns).sum_ns / step->sum_ns : 0;
        size_t until = (size_t)(fmin(end, 1) * width + 0.5);
        if (until > used)
            bar_part(text, run->action[i].name, until - used, screen->utf8);
        used = until > used ? until : used;
    }
}

/* At least so many characters, to the right of a column. */
static void cell_add(struct swi_text *text, double ns, bool utf8)
{
    struct swi_text cell = {0};
    swi_number_duration(&cell, ns, utf8);
    size_t width = cell.data ? swi_text_width(cell.data) : 0;
    swi_text_fill(text, ' ', width < 10 ? 10 - width : 1);
    swi_text_put(text, cell.data ? cell.data : "");
    swi_text_free(&cell);
}

static void action_add(struct screen *screen, const struct shown_action *shown)
{
    struct swi_text *text = screen_add(screen, SCREEN_PLAIN);
    swi_text_put(text, " ");
    bar_name(text, shown->action->name, 16, screen->utf8, true);
    cell_add(text, shown->figures.mean_ns, screen->utf8);
    cell_add(text, shown->figures.p50_ns, screen->utf8);
    cell_add(text, shown->figures.p99_ns, screen->utf8);
    swi_text_format(text, "  %4.0f %%    ", 100 * shown->share);
    size_t left = screen_left(screen, text);
    bar_share(text, shown->share, left < 40 ? left : 40, screen->utf8);
}

/* The largest part of the slowest step. */
static void slowest_add(struct swi_text *text, const struct watched *run, bool utf8)
{
    size_t at = watched_slowest(run), most = 0;
    swi_text_put(text, "slowest: step ");
    swi_number_count(text, run->step_number[at]);
    swi_text_put(text, ", ");
    swi_number_duration(text, (double)run->step_ns[at], utf8);
    for (size_t i = 1; i < run->actions; i++)
        if (run->action[i].ns[at] > run->action[most].ns[at])
            most = i;
    if (run->actions == 0)
        return;
    swi_text_put(text, ", of which ");
    bar_name(text, run->action[most].name, 24, utf8, false);
    swi_text_put(text, " ");
    swi_number_duration(text, (double)run->action[most].ns[at], utf8);
}

/* Adds the bar, up to so many rows of the table, and the slowest step. */
static void actions_add(struct screen *screen, const struct watched *run, size_t room)
{
    struct shown_action shown[WATCHED_ACTIONS + 1] = {{0}};
    if (run->steps == 0 || !screen_has_room(screen, 2))
        return;
    struct watched_figures step = watched_figures(run, run->step_ns);
    size_t count = actions_find(run, &step, shown);
    step_add(screen, run, &step, shown, count);
    if (!screen_has_room(screen, 3))
        return;
    screen_add(screen, SCREEN_PLAIN);
    struct swi_text *text = screen_add(screen, SCREEN_DIM);
    swi_text_format(text, " %-16s%10s%10s%10s%8s", "", "mean", "p50", "p99", "share");
    swi_text_put(text, "  over the last ");
    swi_number_count(text, (int64_t)watched_stored_steps(run));
    swi_text_put(text, " steps");
    for (size_t i = 0; i < count && i < room && screen_has_room(screen, 2); i++)
        action_add(screen, &shown[i]);
    if (screen_has_room(screen, 1))
        slowest_add(screen_add(screen, SCREEN_PLAIN), run, screen->utf8);
}

/* Adds two plain lines: the shares, and the slowest step. */
static void actions_block(struct swi_text *text, const struct watched *run, bool utf8)
{
    struct shown_action shown[WATCHED_ACTIONS + 1] = {{0}};
    struct watched_figures step = watched_figures(run, run->step_ns);
    size_t count = actions_find(run, &step, shown);
    swi_text_put(text, "step ");
    swi_number_duration(text, step.mean_ns, utf8);
    for (size_t i = 0; i < count; i++) {
        swi_text_put(text, i ? ", " : ": ");
        bar_name(text, shown[i].action->name, 24, utf8, false);
        swi_text_format(text, " %.0f %%", 100 * shown[i].share);
    }
    swi_text_put(text, "\n");
    slowest_add(text, run, utf8);
    swi_text_put(text, "\n");
}

/* ---- how far it is --------------------------------------------------------------------------- */

static void title_add(struct screen *screen, const struct watched *run)
{
    char state[96];
    struct swi_text *text = screen_add(screen, SCREEN_BOLD), place = {0}, shown = {0};
    bar_name(&shown, run->name, 24, screen->utf8, false);
    swi_text_put(text, shown.data ? shown.data : "");
    if (run->world_size > 1)
        swi_text_format(text, " rank %lld", (long long)run->rank);
    swi_text_format(text, "  %s", watched_state_text(run, state, sizeof state));
    watched_progress_text(&place, run);
    screen_right_align(screen, text, place.data ? place.data : "");
    swi_text_free(&place);
    swi_text_free(&shown);
}

static void bar_add(struct screen *screen, const struct watched *run)
{
    struct swi_text *text, eta = {0};
    if (run->expected <= 0)
        return;
    text = screen_add(screen, SCREEN_PLAIN);
    watched_eta_text(&eta, run);
    size_t width = screen->columns > 20 ? screen->columns - 16 : 4;
    bar_share(text, (double)run->step / (double)run->expected, width, screen->utf8);
    screen_right_align(screen, text, eta.data ? eta.data : "");
    swi_text_free(&eta);
}

/* Where the run runs; and what happened to its log, or an alert. */
static void note_add(struct screen *screen, const struct watched *run)
{
    struct swi_text *text = screen_add(screen, SCREEN_DIM), shown = {0};
    swi_text_put(text, "host ");
    bar_name(text, run->host, 32, screen->utf8, false);
    swi_text_format(text, ", pid %lld", (long long)run->pid);
    if (run->damaged)
        swi_text_format(text, ", %lld damaged line%s", (long long)run->damaged,
                        run->damaged == 1 ? "" : "s");
    if (!*run->note)
        return;
    text = screen_add(screen, SCREEN_REVERSE);
    bar_name(&shown, run->note, screen->columns, screen->utf8, false);
    swi_text_put(text, shown.data ? shown.data : "");
    swi_text_free(&shown);
}

static void rate_add(struct screen *screen, const struct watched *run)
{
    struct swi_text *text;
    if (run->rates.count == 0 || !screen_has_room(screen, 2))
        return;
    text = screen_add(screen, SCREEN_PLAIN);
    swi_text_put(text, "samples/s  ");
    swi_number_figure(text, run->rate);
    swi_text_fill(text, ' ', text->size < 20 ? 20 - text->size : 1);
    bar_curve(text, &run->rates, screen_left(screen, text), screen->utf8);
    if (run->lowest <= 0)
        return;
    text = screen_add(screen, SCREEN_DIM);
    swi_text_fill(text, ' ', 20);
    swi_text_put(text, "lowest ");
    swi_number_figure(text, run->lowest);
    swi_text_put(text, " at ");
    swi_number_count(text, run->lowest_step);
    swi_text_put(text, ", highest ");
    swi_number_figure(text, run->highest);
}

/* ---- metrics, findings ----------------------------------------------------------------------- */

static void metrics_add(struct screen *screen, const struct watched *run, size_t room)
{
    for (size_t i = 0; i < run->metrics && i < room && screen_has_room(screen, 1); i++) {
        struct swi_text *text = screen_add(screen, SCREEN_PLAIN);
        bar_name(text, run->metric[i].name, 18, screen->utf8, true);
        swi_text_put(text, "  ");
        size_t before = text->size;
        swi_number_value(text, run->metric[i].newest);
        swi_text_fill(text, ' ', text->size - before < 10 ? 10 - (text->size - before) : 1);
        bar_curve(text, &run->metric[i].series, screen_left(screen, text), screen->utf8);
    }
}

/* A long text, broken between words. */
static void wrapped_add(struct screen *screen, const char *before, const char *said)
{
    struct swi_text *text = screen_add(screen, SCREEN_PLAIN);
    swi_text_put(text, before);
    for (const char *word = said; *word;) {
        size_t length = strcspn(word, " ");
        if (screen_left(screen, text) <= length + 1 && screen_has_room(screen, 1)) {
            text = screen_add(screen, SCREEN_PLAIN);
            swi_text_put(text, "  ");
        }
        swi_text_add(text, word, length);
        word += length + (word[length] == ' ');
        if (*word)
            swi_text_put(text, " ");
    }
}

static void findings_add(struct screen *screen, const struct watched *run, size_t room)
{
    const char *said;
    for (size_t i = 0; i < room && (said = findings_text(run, i)) != NULL; i++)
        if (screen_has_room(screen, 2))
            wrapped_add(screen, i ? "        " : "So far: ", said);
}

/* ---- whole screens --------------------------------------------------------------------------- */

static void help_add(struct screen *screen)
{
    static const char *const lines[] = {
        "q, Ctrl-C   quit; the run goes on",
        "space       hold the screen, and let it go on",
        "m           metrics in full",
        "a           actions in full",
        "f           findings in full",
        "left, right the run or rank before or after",
        "up, down    choose a run of a folder",
        "Enter       show it; Esc goes back",
        "?           this help",
    };
    for (size_t i = 0; i < sizeof lines / sizeof *lines && screen_has_room(screen, 1); i++)
        swi_text_put(screen_add(screen, SCREEN_PLAIN), lines[i]);
}

static void blank_add(struct screen *screen)
{
    if (screen_has_room(screen, 3))
        screen_add(screen, SCREEN_PLAIN);
}

static void waits_add(struct screen *screen, const struct watched *run)
{
    struct swi_text *text = screen_add(screen, SCREEN_PLAIN);
    swi_text_put(text, "Waiting for ");
    bar_name(text, run->follow.path, screen->columns > 16 ? screen->columns - 16 : 1, screen->utf8,
             false);
    swi_text_put(text, " ...");
}

/* The most important parts come first: what has no room falls away from below. */
static void all_add(struct screen *screen, const struct watched *run)
{
    bar_add(screen, run);
    note_add(screen, run);
    blank_add(screen);
    rate_add(screen, run);
    blank_add(screen);
    actions_add(screen, run, 6);
    blank_add(screen);
    size_t left = screen->rows - screen->count;
    metrics_add(screen, run, left > 6 ? left - 3 : left > 3 ? 3 : left);
    blank_add(screen);
    findings_add(screen, run, 3);
}

/* The last row. */
static void keys_add(struct screen *screen, const char *keys)
{
    while (keys && screen->count + 1 < screen->rows)
        screen_add(screen, SCREEN_PLAIN);
    if (keys)
        swi_text_put(screen_add(screen, SCREEN_DIM), keys);
}

void screen_run(struct screen *screen, const struct watched *run, enum screen_part part,
                const char *keys)
{
    size_t rows = screen->rows;
    if (keys && screen->rows > 1)
        screen->rows--;
    if (run->known)
        title_add(screen, run);
    else
        waits_add(screen, run);
    if (part == SCREEN_HELP)
        help_add(screen);
    else if (part == SCREEN_METRICS)
        metrics_add(screen, run, WATCHED_METRICS);
    else if (part == SCREEN_ACTIONS)
        actions_add(screen, run, WATCHED_ACTIONS + 1);
    else if (part == SCREEN_FINDINGS)
        findings_add(screen, run, 32);
    else if (run->known)
        all_add(screen, run);
    screen->rows = rows;
    keys_add(screen, keys);
}

/* ---- one run without a terminal -------------------------------------------------------------- */

static void block_metrics(struct swi_text *text, const struct watched *run, bool utf8)
{
    for (size_t i = 0; i < run->metrics && i < 8; i++) {
        swi_text_put(text, i ? "  " : "");
        bar_name(text, run->metric[i].name, 40, utf8, false);
        swi_text_put(text, " ");
        swi_number_value(text, run->metric[i].newest);
    }
    swi_text_put(text, run->metrics ? "\n" : "");
}

void screen_block(struct swi_text *text, const struct watched *run, bool utf8)
{
    char state[96];
    const char *said;
    bar_name(text, run->known ? run->name : run->follow.path, 60, utf8, false);
    if (run->world_size > 1)
        swi_text_format(text, " rank %lld", (long long)run->rank);
    swi_text_format(text, "  %s  ", watched_state_text(run, state, sizeof state));
    watched_progress_text(text, run);
    swi_text_put(text, "  ");
    watched_eta_text(text, run);
    swi_text_put(text, "\n");
    if (run->rates.count > 0) {
        swi_text_put(text, "samples/s ");
        swi_number_figure(text, run->rate);
        swi_text_put(text, "  ");
        bar_curve(text, &run->rates, 48, utf8);
        swi_text_put(text, "\n");
    }
    if (run->steps > 0)
        actions_block(text, run, utf8);
    block_metrics(text, run, utf8);
    if (*run->note) {
        bar_name(text, run->note, 200, utf8, false);
        swi_text_put(text, "\n");
    }
    for (size_t i = 0; i < 3 && (said = findings_text(run, i)) != NULL; i++)
        swi_text_format(text, "%s\n", said);
}

/* ---- several runs ---------------------------------------------------------------------------- */

static void column_add(struct swi_text *text, const char *value, size_t width, bool right)
{
    if (right)
        swi_text_right(text, value, width);
    else
        swi_text_left(text, value, width);
    swi_text_put(text, "  ");
}

static void run_add(struct screen *screen, const struct watched *run, bool chosen)
{
    char state[96];
    struct swi_text *text = screen_add(screen, chosen ? SCREEN_REVERSE : SCREEN_PLAIN), cell = {0};
    swi_text_put(text, chosen ? "> " : "  ");
    bar_name(&cell, run->known ? run->name : run->follow.path, 20, screen->utf8, false);
    if (run->world_size > 1)
        swi_text_format(&cell, " rank %lld", (long long)run->rank);
    column_add(text, cell.data ? cell.data : "", 28, false);
    column_add(text, watched_state_text(run, state, sizeof state), 12, false);
    cell.size = 0;
    swi_number_count(&cell, run->step);
    if (run->expected > 0) {
        swi_text_put(&cell, "/");
        swi_number_count(&cell, run->expected);
    }
    column_add(text, cell.data, 13, true);
    cell.size = 0;
    swi_number_figure(&cell, run->rate);
    column_add(text, cell.data, 9, true);
    cell.size = 0;
    swi_text_add(&cell, "", 0);
    watched_eta_text(&cell, run);
    column_add(text, cell.data, 11, false);
    if (run->metrics) {
        bar_name(text, run->metric[0].name, 18, screen->utf8, false);
        swi_text_put(text, " ");
        swi_number_value(text, run->metric[0].newest);
    }
    swi_text_free(&cell);
}

void screen_runs(struct screen *screen, struct watched *const *run, size_t count, size_t chosen,
                 const char *keys)
{
    size_t rows = screen->rows, room = rows > 3 ? rows - 2 : 1;
    struct swi_text *text = screen_add(screen, SCREEN_BOLD);
    swi_text_format(text, "  %-28s  %-12s  %13s  %9s  %-11s  %s", "run", "state", "step",
                    "samples/s", "", "newest metric");
    size_t first = chosen >= room ? chosen - room + 1 : 0;
    for (size_t i = first; i < count && i < first + room; i++)
        run_add(screen, run[i], i == chosen);
    keys_add(screen, keys);
}
