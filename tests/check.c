/* SPDX-License-Identifier: MIT */
/* check.c - runs every suite, or those named on the command line. */
#include "tests/support/suite.h"

#include <stdlib.h>
#include <string.h>

enum { SUITES_MAX = 256 };

static struct {
    const char *name;
    void (*fill)(TCase *tc);
} suites[SUITES_MAX];
static size_t suite_count;

void suite_add(const char *name, void (*fill)(TCase *tc))
{
    if (suite_count == SUITES_MAX)
        abort();
    suites[suite_count].name = name;
    suites[suite_count++].fill = fill;
}

static int named(const char *name, int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], name) == 0)
            return 1;
    return argc == 1;
}

static Suite *suite_make(size_t i)
{
    Suite *suite = suite_create(suites[i].name);
    TCase *tc = tcase_create(suites[i].name);
    /* Generous: a sanitized build under valgrind on a busy machine. */
    tcase_set_timeout(tc, 120);
    suites[i].fill(tc);
    suite_add_tcase(suite, tc);
    return suite;
}

int main(int argc, char **argv)
{
    SRunner *runner = srunner_create(NULL);
    for (size_t i = 0; i < suite_count; i++)
        if (named(suites[i].name, argc, argv))
            srunner_add_suite(runner, suite_make(i));
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
