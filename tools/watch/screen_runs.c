/* SPDX-License-Identifier: MIT */
#include "tools/watch/screen_runs.h"

#include "core/text/number.h"
#include "tools/watch/screen_lines.h"
#include "tools/watch/watched_state.h"

static void column_add(struct swi_text *text, const char *value, size_t width, bool right)
{
    size_t used = swi_text_width(value);
    if (right)
        swi_text_fill(text, ' ', used < width ? width - used : 0);
    swi_text_put(text, value);
    if (!right)
        swi_text_fill(text, ' ', used < width ? width - used : 0);
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
    while (keys && screen->count + 1 < rows)
        screen_add(screen, SCREEN_PLAIN);
    if (keys)
        swi_text_put(screen_add(screen, SCREEN_DIM), keys);
}
