/* SPDX-License-Identifier: MIT */

#include "core/text/number.h"
#include "tools/watch/screen.h"

#include <math.h>
#include <stdlib.h>

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

void screen_actions_add(struct screen *screen, const struct watched *run, size_t room)
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

void screen_actions_block(struct swi_text *text, const struct watched *run, bool utf8)
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
