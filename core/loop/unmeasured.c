/* SPDX-License-Identifier: MIT */
#include "core/loop/unmeasured.h"
#include "core/text/buffer.h"

#include <string.h>

static const char *before(const struct swi_unmeasured *unmeasured, int i)
{
    if (i == 0)
        return unmeasured->count > 1 ? "counters " : "counter ";
    return i + 1 < unmeasured->count ? ", " : " and ";
}

void swi_unmeasured_tell(struct swi_messages *messages, struct swi_unmeasured *unmeasured)
{
    struct swi_text names = {0};
    for (int i = 0; i < unmeasured->count; i++) {
        swi_text_put(&names, before(unmeasured, i));
        swi_text_put(&names, unmeasured->name[i]);
    }
    if (unmeasured->count)
        swi_say(messages, SW_WARNING, "%s %s not measured: %s",
                names.failed ? "some counters" : names.data,
                names.failed || unmeasured->count > 1 ? "are" : "is",
                sw_error_text(&unmeasured->why));
    swi_text_free(&names);
    sw_error_free(&unmeasured->why);
    unmeasured->count = 0;
}

void swi_unmeasured_add(struct swi_messages *messages, struct swi_unmeasured *unmeasured,
                        const char *name, const struct sw_error *why)
{
    bool same = strcmp(sw_error_text(&unmeasured->why), sw_error_text(why)) == 0;
    if (unmeasured->count && (!same || unmeasured->count == SWI_COUNTER_CHOICES))
        swi_unmeasured_tell(messages, unmeasured);
    if (!unmeasured->count)
        sw_error_set(&unmeasured->why, SW_ESINK, "%s", sw_error_text(why));
    unmeasured->name[unmeasured->count++] = name;
}
