/* SPDX-License-Identifier: MIT */
#include "tools/watch/screen_block.h"

#include "core/text/number.h"
#include "tools/watch/screen_lines.h"
#include "tools/watch/findings.h"
#include "tools/watch/screen_actions.h"
#include "tools/watch/watched_state.h"

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
    watched_place_text(text, run);
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
        screen_actions_block(text, run, utf8);
    block_metrics(text, run, utf8);
    if (*run->note) {
        bar_name(text, run->note, 200, utf8, false);
        swi_text_put(text, "\n");
    }
    for (size_t i = 0; i < 3 && (said = findings_text(run, i)) != NULL; i++)
        swi_text_format(text, "%s\n", said);
}
