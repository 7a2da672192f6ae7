/* SPDX-License-Identifier: MIT */
#include "sinks/common/trace_formats/input_shapes.h"

#include "sinks/common/trace_formats/tracks.h"

#include <string.h>

void swi_timeline_shape(struct swi_timeline *t, int process, int thread, const char *shape)
{
    struct swi_track *track = swi_track_get(t, process, thread);
    if (!track || t->failed || !track->depth)
        return;
    struct swi_interval *interval = &track->frame[track->depth - 1];
    interval->shape = swi_name_number(t, shape, strlen(shape)) + 1;
    int64_t size = interval->skipped ? 0 : (int64_t)t->names.item[interval->shape - 1].json_size;
    interval->end_bytes += size;
    t->reserved += size;
}

static const char *blanks(const char *at)
{
    return at + strspn(at, " ");
}

/* Returns the end of a list of numbers and lists; NULL if there is none. */
static const char *list_end(const char *at, int depth)
{
    if (*at != '[' || depth > 8)
        return NULL;
    at = blanks(at + 1);
    while (at && *at != ']') {
        size_t digits = strspn(at + (*at == '-'), "0123456789");
        at = *at == '[' ? list_end(at, depth + 1) : digits ? at + (*at == '-') + digits : NULL;
        at = at ? blanks(at) : NULL;
        if (at && *at == ',' && *blanks(at + 1) != ']')
            at = blanks(at + 1);
        else if (at && *at != ']')
            return NULL;
    }
    return at ? at + 1 : NULL;
}

const char *swi_timeline_shape_json(const struct swi_timeline *t,
                                    const struct swi_interval *interval, size_t *size)
{
    if (!interval->shape)
        return NULL;
    const struct swi_timeline_name *name = &t->names.item[interval->shape - 1];
    const char *end = list_end(name->text, 0);
    bool list = end && *end == '\0';
    *size = list ? name->size : name->json_size;
    return list ? name->text : name->json;
}
