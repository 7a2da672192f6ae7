/* SPDX-License-Identifier: MIT */
/* test_scalar.c - points are encoded without a message, byte for byte as their message is. */
#include "sinks/tensorboard/writer/writer.h"
#include "tests/support/suite.h"
#include "tests/tensorboard/tb_messages.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { POINTS_MAX = 40 };

/* Adds the same event as a message. */
static void add_message(struct swi_text *to, double wall_s, int64_t step,
                        const struct swi_tb_point *point, size_t count)
{
    struct swi_tb_value_message value[POINTS_MAX] = {0};
    const struct swi_tb_value_message *values[POINTS_MAX];
    struct swi_tb_metadata_message *metadata[POINTS_MAX] = {0};
    struct swi_tb_summary_message summary = {.n_value = count, .value = values};
    struct swi_tb_event_message event = {
        .wall_time = wall_s, .step = step, .what = TB_EVENT_SUMMARY};
    event.summary = &summary;
    for (size_t i = 0; i < count; i++) {
        if (point[i].metadata)
            metadata[i] = tb_metadata_read(point[i].metadata, point[i].metadata_size);
        value[i].tag = point[i].tag->name;
        value[i].what = TB_VALUE_SIMPLE;
        value[i].simple_value = point[i].value;
        value[i].metadata = metadata[i];
        values[i] = &value[i];
    }
    tb_event_add(to, &event);
    for (size_t i = 0; i < count; i++)
        swi_message_free(metadata[i]);
}

/* Whether points are written as the message is, byte for byte. */
static bool is_same(double wall_s, int64_t step, struct swi_tb_point *point, size_t count)
{
    struct swi_text expected = {0};
    add_message(&expected, wall_s, step, point, count);
    size_t size = swi_tb_scalars_size(step, point, count);
    uint8_t *bytes = malloc(size);
    const uint8_t *end = swi_tb_scalars_put(bytes, wall_s, step, point, count);
    bool same =
        end == bytes + size && size == expected.size && memcmp(bytes, expected.data, size) == 0;
    free(bytes);
    swi_text_free(&expected);
    return same;
}

static const int64_t steps[] = {0, 1, 127, 128, 16383, 16384, INT32_MAX, INT64_MAX, -1, INT64_MIN};
static const float values[] = {0.0F, -0.0F, 1.0F, -2.5F, FLT_MIN, FLT_MAX, FLT_TRUE_MIN};

START_TEST(every_step_and_value_is_written_as_in_a_message)
{
    char name[] = "loss/train";
    struct swi_tb_tag tag = {.name = name, .name_size = strlen(name)};
    float all[] = {values[0], values[1], values[2], values[3], values[4],
                   values[5], values[6], INFINITY,  -INFINITY, NAN};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        struct swi_tb_point point = {.tag = &tag, .value = all[i]};
        ck_assert(is_same(1700000000.25, steps[_i], &point, 1));
    }
}
END_TEST

START_TEST(tags_of_every_length_and_many_points_in_one_event)
{
    static char name[POINTS_MAX][20000];
    struct swi_tb_tag tag[POINTS_MAX];
    struct swi_tb_point point[POINTS_MAX];
    /* Around the lengths at which a varint grows: 127, 128, 16383, 16384. */
    for (size_t i = 0; i < POINTS_MAX; i++) {
        size_t length = i < 30 ? 105 + i : 16350 + i;
        memset(name[i], 'a' + (int)(i % 26), length);
        tag[i] = (struct swi_tb_tag){.name = name[i], .name_size = length};
        point[i] = (struct swi_tb_point){.tag = &tag[i], .value = (float)i / 3};
    }
    for (size_t count = 1; count <= POINTS_MAX; count++)
        ck_assert(is_same(1.5, (int64_t)count, point, count));
}
END_TEST

START_TEST(a_description_follows_the_value)
{
    char name[] = "time_ms/forward", markdown[] = "Rolling mean, *ms*";
    struct swi_tb_tag tag = {
        .name = name, .name_size = strlen(name), .markdown = markdown, .kind = SWI_TB_SCALAR};
    struct swi_tb_point point[2] = {{.tag = &tag, .value = 1.5F}, {.tag = &tag, .value = 2.5F}};
    point[0].metadata = swi_tb_scalar_metadata(&tag, &point[0].metadata_size);
    ck_assert(is_same(1700000000, 7, point, 2));
    free(point[0].metadata);
}
END_TEST

SUITE(tensorboard_scalar)
{
    tcase_add_loop_test(tc, every_step_and_value_is_written_as_in_a_message, 0,
                        sizeof steps / sizeof *steps);
    tcase_add_test(tc, tags_of_every_length_and_many_points_in_one_event);
    tcase_add_test(tc, a_description_follows_the_value);
}
