/* SPDX-License-Identifier: MIT */
#include "sinks/common/trace_formats/size_limit.h"

void swi_timeline_drain(struct swi_timeline *t)
{
    if (t->out.failed)
        t->failed = true;
    if (t->out.size && !t->failed && !t->write(t->arg, t->out.data, t->out.size))
        t->failed = true;
    t->written += (int64_t)t->out.size;
    t->out.size = 0;
}

bool swi_has_room(const struct swi_timeline *t, size_t size)
{
    return !t->failed && !t->full &&
           (!t->max_size || swi_timeline_size(t) + (int64_t)size < t->max_size);
}

bool swi_timeline_take(void *arg, const char *data, size_t size)
{
    struct swi_timeline *t = arg;
    swi_text_add(&t->out, data, size);
    if (t->out.size > 1 << 16)
        swi_timeline_drain(t);
    return !t->failed;
}
