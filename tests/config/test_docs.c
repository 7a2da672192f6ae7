/* SPDX-License-Identifier: MIT */
/* docs/configuration.md against the library: its examples are fine, its keys are all there are. */
#include "tests/config/sample.h"
#include "tests/support/suite.h"

#include <stepwatch/inspect.h>

#include <stdlib.h>
#include <string.h>

static char *guide;

static void begin(void)
{
    sample_enter(SRCDIR "/docs");
    guide = sample_text("configuration", "md");
    sample_leave();
    sample_enter(NULL);
}

static void end(void)
{
    free(guide);
    sample_leave();
}

/* Cuts the next ```yaml block out of the guide; NULL after the last. */
static char *next_example(char **rest)
{
    char *block = strstr(*rest, "```yaml\n"), *close = block ? strstr(block + 8, "```") : NULL;
    if (!close)
        return NULL;
    *close = '\0';
    *rest = close + 3;
    return block + 8;
}

START_TEST(every_example_is_a_configuration)
{
    int count = 0;
    char *rest = guide;
    for (char *yaml; (yaml = next_example(&rest)) != NULL; count++) {
        char *text = NULL;
        struct sw_error err;
        sample_write("stepwatch.yaml", yaml, strlen(yaml));
        ck_assert_msg(sw_config_check(NULL, &text, &err) == 0, "%s\n%s", yaml, text);
    }
    ck_assert_int_ge(count, 5);
}
END_TEST

/* Each "  key: value" line that the profiler prints has its row, and each row its line. */
START_TEST(every_key_of_the_profiler_has_its_row)
{
    char *text = NULL, *rest = NULL, row[64], *table = strstr(guide, "## `profiler`");
    struct sw_error err;
    int keys = 0, rows = 0;
    const char yaml[] = "profiler: { wait: allreduce, schedule: { active: 1 }, "
                        "capture: {}, counters: [cpu], peak_flops: 1T, watchdog: auto, "
                        "functions: true }"; /* else they are not printed */
    sample_write("stepwatch.yaml", yaml, strlen(yaml));
    ck_assert_int_eq(sw_config_print(NULL, &text, &err), 0);
    *strstr(text, "logger_callback:") = '\0';
    *strstr(table, "## `logger_callback`") = '\0';
    for (char *line = strtok_r(strchr(text, '\n'), "\n", &rest); line;
         line = strtok_r(NULL, "\n", &rest), keys++) {
        snprintf(row, sizeof row, "\n| `%.*s` | ", (int)strcspn(line + 2, ":"), line + 2);
        ck_assert_msg(strstr(table, row) != NULL, "%s", row);
    }
    for (const char *at = table; (at = strstr(at, "\n| `")) != NULL; at++)
        rows++;
    ck_assert_int_eq(rows, keys);
    free(text);
}
END_TEST

SUITE(config_docs)
{
    tcase_add_checked_fixture(tc, begin, end);
    tcase_add_test(tc, every_example_is_a_configuration);
    tcase_add_test(tc, every_key_of_the_profiler_has_its_row);
}
