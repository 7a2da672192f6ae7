/* SPDX-License-Identifier: MIT */
#include "core/text/map.h"
#include "core/text/vec.h"
#include "tests/support/suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MANY = 20000 };

static ptrdiff_t add(struct swi_map *map, const char *name)
{
    return swi_map_add(map, name, strlen(name));
}

static ptrdiff_t find(const struct swi_map *map, const char *name)
{
    return swi_map_find(map, name, strlen(name));
}

static const char *name_of(int i, char room[32])
{
    snprintf(room, 32, "layer.%d/weight", i);
    return room;
}

START_TEST(names_are_numbered_as_they_come)
{
    struct swi_map map = {0};
    ck_assert_int_eq(find(&map, "loss"), -1);
    ck_assert_int_eq(add(&map, "loss"), 0);
    ck_assert_int_eq(add(&map, "accuracy"), 1);
    ck_assert_int_eq(add(&map, "loss"), 0);
    ck_assert_int_eq(add(&map, ""), 2);
    ck_assert_int_eq(find(&map, "accuracy"), 1);
    ck_assert_int_eq(find(&map, "los"), -1);
    ck_assert_uint_eq(map.count, 3);
    ck_assert_str_eq(map.name[1].text, "accuracy");
    swi_map_free(&map);
    ck_assert_int_eq(find(&map, "loss"), -1);
}
END_TEST

START_TEST(a_name_may_have_any_bytes)
{
    struct swi_map map = {0};
    ck_assert_int_eq(swi_map_add(&map, "a\0b", 3), 0);
    ck_assert_int_eq(swi_map_add(&map, "a\0c", 3), 1);
    ck_assert_int_eq(swi_map_add(&map, "a", 1), 2);
    ck_assert_int_eq(swi_map_find(&map, "a\0c", 3), 1);
    ck_assert_int_eq(swi_map_find(&map, "a\0", 2), -1);
    swi_map_free(&map);
}
END_TEST

START_TEST(many_names_are_found_in_any_order)
{
    struct swi_map map = {0};
    char room[32];
    for (int i = 0; i < MANY; i++)
        ck_assert_int_eq(add(&map, name_of(i, room)), i);
    for (int i = 0; i < MANY; i++) {
        int other = (int)((long)i * 7919 % MANY);
        ck_assert_int_eq(add(&map, name_of(other, room)), other);
        ck_assert_int_eq(find(&map, name_of(other, room)), other);
    }
    ck_assert_int_eq(find(&map, name_of(MANY, room)), -1);
    swi_map_free(&map);
}
END_TEST

/* Names often differ only in a number, and must not share slots. */
START_TEST(searches_stay_short)
{
    struct swi_map map = {0};
    char room[32];
    size_t steps = 0;
    for (int i = 0; i < MANY; i++)
        add(&map, name_of(i, room));
    for (size_t i = 0; i < map.count; i++) {
        size_t slot = map.name[i].hash & (map.slots - 1);
        for (; map.slot[slot] != i + 1; slot = (slot + 1) & (map.slots - 1))
            steps++;
    }
    ck_assert_uint_lt(steps, 2 * MANY);
    swi_map_free(&map);
}
END_TEST

START_TEST(items_stay_with_their_names)
{
    struct swi_map map = {0};
    char room[32];
    int *item = NULL;
    for (int round = 0; round < 3; round++)
        for (int i = 0; i < 1000; i++) {
            const char *name = name_of(i, room);
            int *of = swi_map_item(&map, &item, sizeof *item, name, strlen(name));
            ck_assert_ptr_nonnull(of);
            ck_assert_int_eq(*of, round ? i + round - 1 : 0);
            *of = i + round;
        }
    ck_assert_int_eq(item[999], 999 + 2);
    free(item);
    swi_map_free(&map);
}
END_TEST

START_TEST(the_newest_name_can_be_removed)
{
    struct swi_map map = {0};
    add(&map, "loss");
    add(&map, "accuracy");
    swi_map_undo(&map);
    ck_assert_int_eq(find(&map, "accuracy"), -1);
    ck_assert_int_eq(find(&map, "loss"), 0);
    ck_assert_int_eq(add(&map, "rate"), 1);
    swi_map_free(&map);
}
END_TEST

START_TEST(an_array_grows_to_twice_its_room)
{
    long *item = NULL;
    size_t room = 0;
    for (size_t i = 0; i < 1000; i++) {
        ck_assert(swi_vec_grow(&item, i, &room, sizeof *item));
        item[i] = (long)i;
    }
    ck_assert_uint_eq(room, 1024);
    ck_assert_int_eq(item[777], 777);
    room = SIZE_MAX / 4;
    ck_assert(!swi_vec_grow(&item, room, &room, sizeof *item));
    ck_assert_int_eq(item[999], 999);
    free(item);
}
END_TEST

START_TEST(an_array_reaches_the_number_of_an_item_and_new_items_are_zero)
{
    int *item = NULL;
    size_t room = 0;
    ck_assert(swi_vec_reach(&item, 3, &room, sizeof *item));
    ck_assert_uint_gt(room, 3);
    for (size_t i = 0; i < room; i++) {
        ck_assert_int_eq(item[i], 0);
        item[i] = 7;
    }
    size_t before = room;
    ck_assert(swi_vec_reach(&item, 1000, &room, sizeof *item));
    ck_assert_uint_gt(room, 1000);
    for (size_t i = 0; i < room; i++)
        ck_assert_int_eq(item[i], i < before ? 7 : 0);
    ck_assert(!swi_vec_reach(&item, SIZE_MAX / 2, &room, sizeof *item));
    ck_assert_int_eq(item[0], 7);
    free(item);
}
END_TEST

SUITE(map)
{
    tcase_add_test(tc, an_array_reaches_the_number_of_an_item_and_new_items_are_zero);
    tcase_add_test(tc, names_are_numbered_as_they_come);
    tcase_add_test(tc, a_name_may_have_any_bytes);
    tcase_add_test(tc, many_names_are_found_in_any_order);
    tcase_add_test(tc, searches_stay_short);
    tcase_add_test(tc, items_stay_with_their_names);
    tcase_add_test(tc, the_newest_name_can_be_removed);
    tcase_add_test(tc, an_array_grows_to_twice_its_room);
}
