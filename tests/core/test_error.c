/* SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stdlib.h>

static bool no_memory;

static void *realloc_or_not(void *old, size_t size)
{
    return no_memory ? NULL : realloc(old, size);
}

#define realloc realloc_or_not
#include <stepwatch/error.h>
#undef realloc

#include "tests/support/suite.h"

#include <pthread.h>

_Static_assert(sizeof(struct sw_error) <= 512, "an error fits on any stack");

enum { LONG = 5000 };

/* LONG bytes of two-byte characters. */
static const char *long_text(void)
{
    static char text[LONG + 1];
    for (int i = 0; i < LONG; i += 2)
        memcpy(text + i, "\xc3\xa4", 3);
    return text;
}

static void remember(void)
{
    no_memory = false;
}

START_TEST(a_text_of_any_length_is_whole)
{
    SW_ERROR_SCOPE(err);
    ck_assert_int_eq(sw_error_set(&err, SW_EIO, "%s", long_text()), SW_EIO);
    ck_assert_str_eq(sw_error_text(&err), long_text());
    ck_assert_int_eq(sw_error_append(&err, "\n%s", "and more"), SW_EIO);
    ck_assert_int_eq(sw_error_prefix(&err, "%s:%d", "file", 7), SW_EIO);
    ck_assert_uint_eq(strlen(sw_error_text(&err)),
                      strlen("file:7: ") + LONG + strlen("\nand more"));
    ck_assert_int_eq(strncmp(sw_error_text(&err), "file:7: \xc3\xa4", 10), 0);
    ck_assert_ptr_nonnull(strstr(sw_error_text(&err), "\xa4\nand more"));
}
END_TEST

/* From one byte that fits to one that does not. */
START_TEST(the_longest_text_that_fits_is_not_on_the_heap)
{
    SW_ERROR_SCOPE(err);
    sw_error_set(&err, SW_EIO, "%*s", SW_ERROR_SHORT - 1, "x");
    ck_assert_ptr_null(err.long_);
    sw_error_append(&err, "y");
    ck_assert_ptr_nonnull(err.long_);
    ck_assert_uint_eq(strlen(sw_error_text(&err)), SW_ERROR_SHORT);
    ck_assert_str_eq(sw_error_text(&err) + SW_ERROR_SHORT - 3, " xy");
}
END_TEST

START_TEST(without_memory_a_long_text_is_cut_between_characters)
{
    SW_ERROR_SCOPE(err);
    no_memory = true;
    sw_error_set(&err, SW_EIO, "a%s", long_text());
    sw_error_prefix(&err, "file");
    no_memory = false;
    size_t size = strlen(sw_error_text(&err));
    ck_assert_int_eq(err.code, SW_EIO);
    ck_assert_uint_ge(size, SW_ERROR_SHORT - 3);
    ck_assert_uint_lt(size, SW_ERROR_SHORT);
    ck_assert_str_eq(sw_error_text(&err) + size - 5, "\xc3\xa4...");
    ck_assert_int_eq(strncmp(sw_error_text(&err), "file: a\xc3\xa4", 9), 0);
}
END_TEST

START_TEST(without_memory_what_is_there_stays)
{
    SW_ERROR_SCOPE(err);
    sw_error_set(&err, SW_EIO, "%s", long_text());
    no_memory = true;
    sw_error_append(&err, "and more");
    no_memory = false;
    ck_assert_uint_ge(strlen(sw_error_text(&err)), LONG - 1);
    ck_assert_str_eq(sw_error_text(&err) + strlen(sw_error_text(&err)) - 3, "...");
}
END_TEST

START_TEST(memory_that_was_never_initialised_can_be_filled)
{
    struct sw_error err;
    memset(&err, 0xa5, sizeof err);
    sw_error_set(&err, SW_EIO, "%s", "short");
    ck_assert_str_eq(sw_error_text(&err), "short");
    sw_error_free(&err);
    ck_assert_int_eq(err.code, 0);
    ck_assert_str_eq(sw_error_text(&err), "");
    sw_error_free(&err);
    sw_error_free(NULL);
}
END_TEST

static void *fill(void *err)
{
    sw_error_set(err, SW_ETIME, "%s", long_text());
    return NULL;
}

START_TEST(another_thread_may_read_and_free_it)
{
    struct sw_error err;
    pthread_t thread;
    ck_assert_int_eq(pthread_create(&thread, NULL, fill, &err), 0);
    pthread_join(thread, NULL);
    ck_assert_str_eq(sw_error_text(&err), long_text());
    sw_error_free(&err);
}
END_TEST

SUITE(error)
{
    tcase_add_checked_fixture(tc, NULL, remember);
    tcase_add_test(tc, a_text_of_any_length_is_whole);
    tcase_add_test(tc, the_longest_text_that_fits_is_not_on_the_heap);
    tcase_add_test(tc, without_memory_a_long_text_is_cut_between_characters);
    tcase_add_test(tc, without_memory_what_is_there_stays);
    tcase_add_test(tc, memory_that_was_never_initialised_can_be_filled);
    tcase_add_test(tc, another_thread_may_read_and_free_it);
}
