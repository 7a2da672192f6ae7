/* SPDX-License-Identifier: MIT */
#include "tests/monitors/values.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { VALUES_MAX = 512 };

static struct {
    char name[128];
    double value;
} values[VALUES_MAX];
static size_t count;
static char said[4096];
static const char *const *variables;

static void value(struct sw_monitor *monitor, const char *name, double number)
{
    (void)monitor;
    ck_assert_uint_lt(count, VALUES_MAX);
    snprintf(values[count].name, sizeof values[count].name, "%s", name);
    values[count++].value = number;
}

static void say(struct sw_monitor *monitor, int level, const char *text)
{
    size_t used = strlen(said);
    (void)monitor;
    (void)level;
    snprintf(said + used, sizeof said - used, "%s\n", text);
}

static const char *environment(struct sw_monitor *monitor, const char *name)
{
    (void)monitor;
    return sw_map_get(variables, name);
}

static void energy(struct sw_monitor *monitor, double joules)
{
    (void)monitor;
    (void)joules;
}

static const struct sw_monitor_services services = {
    sizeof services, value, say, environment, energy,
};

struct sw_monitor *values_monitor(const char *const *given)
{
    static struct sw_monitor monitor = {
        .size = sizeof monitor, .services = &services, .name = "test", .asked = true};
    variables = given;
    values_clear();
    return &monitor;
}

void values_clear(void)
{
    count = 0;
    *said = '\0';
}

static int find(const char *name)
{
    for (int i = (int)count - 1; i >= 0; i--)
        if (strcmp(values[i].name, name) == 0)
            return i;
    return -1;
}

bool values_has(const char *name)
{
    return find(name) >= 0;
}

double values_get(const char *name)
{
    int i = find(name);
    ck_assert_msg(i >= 0, "no value %s", name);
    return values[i].value;
}

size_t values_count(void)
{
    return count;
}

const char *values_said(void)
{
    return said;
}

void values_assert(const json_t *expected, const char *except)
{
    const char *name;
    json_t *wanted;
    json_object_foreach((json_t *)expected, name, wanted)
    {
        double want = json_number_value(wanted), got = values_get(name);
        ck_assert_msg(fabs(got - want) <= 1e-9 * fabs(want), "%s is %.17g, expected %.17g", name,
                      got, want);
    }
    for (size_t i = 0; i < count; i++)
        ck_assert_msg(json_object_get(expected, values[i].name) ||
                          (except && strncmp(values[i].name, except, strlen(except)) == 0),
                      "%s is not expected", values[i].name);
}
