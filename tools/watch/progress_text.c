/* SPDX-License-Identifier: MIT */
#include "tools/watch/progress_text.h"

#include "core/text/number.h"
#include "tools/watch/watched_state.h"

void watched_place_text(struct swi_text *text, const struct watched *run)
{
    swi_number_clock(text, (double)run->t_ns * 1e-9);
    if (run->epoch > 0)
        swi_text_format(text, "  epoch %lld", (long long)run->epoch);
    swi_text_put(text, run->expected > 0 ? "  " : "  step ");
    swi_number_count(text, run->step);
    if (run->expected > 0) {
        swi_text_put(text, "/");
        swi_number_count(text, run->expected);
        swi_text_format(text, "  %.0f %%", 100.0 * (double)run->step / (double)run->expected);
    }
}

void watched_eta_text(struct swi_text *text, const struct watched *run)
{
    double eta = run->finished ? -1 : watched_eta(run);
    if (eta < 0)
        return;
    swi_text_put(text, "eta ");
    swi_number_clock(text, eta);
}
