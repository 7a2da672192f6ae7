/* SPDX-License-Identifier: MIT */
/* scalar.c - events of scalars: the encoder, and the calls that use it. It measures all parts first
 * and puts them where they stay, because it is hot (docs/benchmarks.md). */

#include "sinks/tensorboard/writer/writer.h"

#include <stdlib.h>
#include <string.h>

static size_t summary_size(struct swi_tb_point *point, size_t count)
{
    size_t size = 0;
    for (size_t i = 0; i < count; i++) {
        point[i].size = swi_wire_field_size(point[i].tag->name_size) + 1 + 4;
        if (point[i].metadata)
            point[i].size += swi_wire_field_size(point[i].metadata_size);
        size += swi_wire_field_size(point[i].size);
    }
    return size;
}

size_t swi_tb_scalars_size(int64_t step, struct swi_tb_point *point, size_t count)
{
    size_t size = 1 + 8 + swi_wire_field_size(summary_size(point, count));
    return step == 0 ? size : size + 1 + swi_wire_size((uint64_t)step);
}

static char *put_point(char *to, const struct swi_tb_point *point)
{
    to = swi_wire_head(to, SWI_TB_SUMMARY_VALUE, point->size);
    to = swi_wire_bytes(to, SWI_TB_VALUE_TAG, point->tag->name, point->tag->name_size);
    to = swi_wire_float(to, SWI_TB_VALUE_SIMPLE, point->value);
    if (point->metadata)
        to = swi_wire_bytes(to, SWI_TB_VALUE_METADATA, (const char *)point->metadata,
                            point->metadata_size);
    return to;
}

uint8_t *swi_tb_scalars_put(uint8_t *payload, double wall_s, int64_t step,
                            const struct swi_tb_point *point, size_t count)
{
    char *to = (char *)payload;
    size_t summary = 0;
    for (size_t i = 0; i < count; i++)
        summary += swi_wire_field_size(point[i].size);
    to = swi_wire_double(to, SWI_TB_EVENT_WALL_TIME, wall_s);
    if (step != 0)
        to = swi_wire_number(to, SWI_TB_EVENT_STEP, (uint64_t)step);
    to = swi_wire_head(to, SWI_TB_EVENT_SUMMARY, summary);
    for (size_t i = 0; i < count; i++)
        to = put_point(to, &point[i]);
    return (uint8_t *)to;
}

/* ---- the calls ------------------------------------------------------------------------------- */

static int attach_metadata(struct sw_tb *tb, struct swi_tb_point *point, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (!swi_tb_metadata_due(point[i].tag, tb->file))
            continue;
        point[i].metadata = swi_tb_scalar_metadata(point[i].tag, &point[i].metadata_size);
        if (!point[i].metadata)
            return swi_tb_fail(tb, SW_ENOMEM, "not enough memory for the description of %s",
                               point[i].tag->name);
    }
    return 0;
}

static void take_metadata(struct sw_tb *tb, struct swi_tb_point *point, size_t count, bool written)
{
    for (size_t i = 0; i < count; i++) {
        if (written) {
            point[i].tag->file = tb->file;
            point[i].tag->used = true;
        }
        free(point[i].metadata);
        point[i].metadata = NULL;
    }
}

static int points_write(struct sw_tb *tb, int64_t step, struct swi_tb_point *point, size_t count)
{
    int rc = attach_metadata(tb, point, count);
    if (rc == 0) {
        size_t size = swi_tb_scalars_size(step, point, count);
        uint8_t *payload = swi_tb_reserve(tb, size, &rc);
        if (payload) {
            double now = swi_tb_now(tb);
            swi_tb_scalars_put(payload, now, step, point, count);
            swi_tb_commit(tb, size, now);
        }
    }
    take_metadata(tb, point, count, rc == 0);
    return rc;
}

int sw_tb_scalar(struct sw_tb *tb, const char *tag, int64_t step, double value)
{
    if (!swi_tb_usable(tb))
        return 0;
    struct swi_tb_point point = {.tag = swi_tb_tag(tb, tag, SWI_TB_SCALAR), .value = (float)value};
    return point.tag ? points_write(tb, step, &point, 1) : tb->refused;
}

static int scratch(struct sw_tb *tb, size_t count)
{
    if (count <= tb->room)
        return 0;
    struct swi_tb_point *point = realloc(tb->point, count * sizeof *point);
    if (!point)
        return swi_tb_fail(tb, SW_ENOMEM, "not enough memory for %zu scalars", count);
    tb->point = point;
    tb->room = count;
    return 0;
}

/* Adds the point to the right event, because an event must not contain a tag twice. */
static size_t collect(struct sw_tb *tb, size_t points, struct swi_tb_tag *tag, double value)
{
    if (tag->event != tb->event) {
        tag->event = tb->event;
        tag->place = points++;
    }
    tb->point[tag->place] = (struct swi_tb_point){.tag = tag, .value = (float)value};
    return points;
}

int sw_tb_scalars(struct sw_tb *tb, int64_t step, const struct sw_tb_value *value, size_t count)
{
    if (!swi_tb_usable(tb) || count == 0)
        return 0;
    int refused = 0;
    size_t points = 0;
    int rc = scratch(tb, count);
    if (rc < 0)
        return rc;
    tb->event++;
    for (size_t i = 0; i < count; i++) {
        struct swi_tb_tag *tag = swi_tb_tag(tb, value[i].tag, SWI_TB_SCALAR);
        if (tag)
            points = collect(tb, points, tag, value[i].value);
        else
            refused = tb->refused;
    }
    rc = points > 0 ? points_write(tb, step, tb->point, points) : 0;
    return rc < 0 ? rc : refused;
}
