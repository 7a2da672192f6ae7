/* SPDX-License-Identifier: MIT */
#include "core/advice/batch_parts.h"

#include "core/advice/sample_statistics.h"

#include <string.h>

static double share_of(const struct swi_analysis *analysis, const char *name, double total)
{
    for (size_t a = 0; a < analysis->actions; a++)
        if (strcmp(analysis->action[a].name, name) == 0)
            return analysis->action[a].sum / total;
    return -1;
}

static double rest_of(struct swi_analysis *analysis)
{
    for (size_t i = 0; i < analysis->n; i++) {
        double known = 0, batch = analysis->batch[i];
        for (size_t a = 0; a < analysis->actions; a++)
            known += analysis->action[a].standard ? analysis->action[a].ns[i] : 0;
        analysis->whole[i] = batch > 0 ? 1 - known / batch : 0;
    }
    return swi_sample_median(analysis->whole, analysis->n, analysis->scratch);
}

static struct swi_batch_parts parts_make(struct swi_analysis *analysis)
{
    struct swi_batch_parts parts = {.total = swi_sample_sum(analysis->batch, analysis->n)};
    if (parts.total <= 0)
        return parts;
    double forward = share_of(analysis, "forward", parts.total);
    double backward = share_of(analysis, "backward", parts.total);
    parts.known = forward >= 0;
    parts.forward = forward > 0 ? forward : 0;
    parts.backward = backward > 0 ? backward : 0;
    parts.rest = rest_of(analysis);
    for (size_t a = 0; a < analysis->actions; a++)
        parts.own = parts.own || !analysis->action[a].standard;
    return parts;
}

const struct swi_batch_parts *swi_batch_parts_of(struct swi_analysis *analysis)
{
    if (!analysis->divided)
        analysis->parts = parts_make(analysis);
    analysis->divided = true;
    return &analysis->parts;
}
