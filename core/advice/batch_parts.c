/* SPDX-License-Identifier: MIT */
#include "core/advice/batch_parts.h"

#include "core/advice/sample_statistics.h"

#include <string.h>

static double share_of(const struct swi_judge *judge, const char *name, double total)
{
    for (size_t a = 0; a < judge->actions; a++)
        if (strcmp(judge->action[a].name, name) == 0)
            return judge->action[a].sum / total;
    return -1;
}

static double rest_of(struct swi_judge *judge)
{
    for (size_t i = 0; i < judge->n; i++) {
        double known = 0, batch = judge->batch[i];
        for (size_t a = 0; a < judge->actions; a++)
            known += judge->action[a].standard ? judge->action[a].ns[i] : 0;
        judge->whole[i] = batch > 0 ? 1 - known / batch : 0;
    }
    return swi_sample_median(judge->whole, judge->n, judge->scratch);
}

static struct swi_batch_parts parts_make(struct swi_judge *judge)
{
    struct swi_batch_parts parts = {.total = swi_sample_sum(judge->batch, judge->n)};
    if (parts.total <= 0)
        return parts;
    double forward = share_of(judge, "forward", parts.total);
    double backward = share_of(judge, "backward", parts.total);
    parts.known = forward >= 0;
    parts.forward = forward > 0 ? forward : 0;
    parts.backward = backward > 0 ? backward : 0;
    parts.rest = rest_of(judge);
    for (size_t a = 0; a < judge->actions; a++)
        parts.own = parts.own || !judge->action[a].standard;
    return parts;
}

const struct swi_batch_parts *swi_batch_parts_of(struct swi_judge *judge)
{
    if (!judge->divided)
        judge->parts = parts_make(judge);
    judge->divided = true;
    return &judge->parts;
}
