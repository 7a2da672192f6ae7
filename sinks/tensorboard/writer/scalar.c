/* SPDX-License-Identifier: MIT */
/* scalar.c - events of scalars: the encoder, and the calls that use it. It is written by hand
 * because it is hot: protobuf-c takes several times as long for the same bytes
 * (docs/benchmarks.md). tests/tensorboard/test_scalar.c compares the two byte for byte. */
#include "sinks/tensorboard/writer/scalar.h"

#include "sinks/tensorboard/writer/append.h"
#include "sinks/tensorboard/writer/bytes.h"
#include "sinks/tensorboard/writer/metadata.h"
#include "sinks/tensorboard/writer/problem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A field's number and wire type, as protobuf writes them before its content. */
enum {
    EVENT_WALL_TIME = 1 << 3 | 1,
    EVENT_STEP = 2 << 3 | 0,
    EVENT_SUMMARY = 5 << 3 | 2,
    SUMMARY_VALUE = 1 << 3 | 2,
    VALUE_TAG = 1 << 3 | 2,
    VALUE_SIMPLE_VALUE = 2 << 3 | 5,
    VALUE_METADATA = 9 << 3 | 2
};

static size_t delimited_size(size_t content)
{
    return 1 + swi_varint_size(content) + content;
}

static size_t summary_size(struct swi_tb_point *point, size_t count)
{
    size_t size = 0;
    for (size_t i = 0; i < count; i++) {
        point[i].size = delimited_size(point[i].tag->name_size) + 1 + 4;
        if (point[i].metadata)
            point[i].size += delimited_size(point[i].metadata_size);
        size += delimited_size(point[i].size);
    }
    return size;
}

size_t swi_tb_scalars_size(int64_t step, struct swi_tb_point *point, size_t count)
{
    size_t size = 1 + 8 + delimited_size(summary_size(point, count));
    return step == 0 ? size : size + 1 + swi_varint_size((uint64_t)step);
}

static uint8_t *put_delimited(uint8_t *to, uint8_t field, const void *content, size_t size)
{
    *to++ = field;
    to = swi_put_varint(to, size);
    memcpy(to, content, size);
    return to + size;
}

static uint8_t *put_point(uint8_t *to, const struct swi_tb_point *point)
{
    *to++ = SUMMARY_VALUE;
    to = swi_put_varint(to, point->size);
    to = put_delimited(to, VALUE_TAG, point->tag->name, point->tag->name_size);
    *to++ = VALUE_SIMPLE_VALUE;
    to = swi_put_float(to, point->value);
    if (point->metadata)
        to = put_delimited(to, VALUE_METADATA, point->metadata, point->metadata_size);
    return to;
}

uint8_t *swi_tb_scalars_put(uint8_t *to, double wall_s, int64_t step,
                            const struct swi_tb_point *point, size_t count)
{
    size_t summary = 0;
    for (size_t i = 0; i < count; i++)
        summary += delimited_size(point[i].size);
    *to++ = EVENT_WALL_TIME;
    to = swi_put_double(to, wall_s);
    if (step != 0) {
        *to++ = EVENT_STEP;
        to = swi_put_varint(to, (uint64_t)step);
    }
    *to++ = EVENT_SUMMARY;
    to = swi_put_varint(to, summary);
    for (size_t i = 0; i < count; i++)
        to = put_point(to, &point[i]);
    return to;
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
