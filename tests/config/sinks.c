/* SPDX-License-Identifier: MIT */
#include "tests/config/sinks.h"

#include <stepwatch/sink.h>

#include <stdlib.h>
#include <string.h>

struct sample {
    const char *text;
    const char *path;
    const char *kind;
    const char *const *tags;
    const char *const *labels;
    const char *api_key;
    int64_t count;
    double ratio;
    bool flag;
    int64_t wait_ns;
    int64_t room;
};

#define FIELD(name) offsetof(struct sample, name)

static const struct sw_option sample_options[] = {
    {.name = "text", .type = SW_OPTION_STRING, .offset = FIELD(text), .help = "a text"},
    {.name = "path",
     .type = SW_OPTION_PATH,
     .offset = FIELD(path),
     .fallback = "-",
     .help = "a file"},
    {.name = "count",
     .type = SW_OPTION_INT,
     .offset = FIELD(count),
     .fallback = "6",
     .min = 1,
     .max = 17,
     .help = "an integer"},
    {.name = "ratio",
     .type = SW_OPTION_FLOAT,
     .offset = FIELD(ratio),
     .fallback = "0.5",
     .min = 0,
     .max = 1,
     .help = "a number"},
    {.name = "flag",
     .type = SW_OPTION_BOOL,
     .offset = FIELD(flag),
     .fallback = "false",
     .help = "a switch"},
    {.name = "wait",
     .type = SW_OPTION_DURATION,
     .offset = FIELD(wait_ns),
     .fallback = "250ms",
     .help = "a duration"},
    {.name = "room",
     .type = SW_OPTION_SIZE,
     .offset = FIELD(room),
     .fallback = "8MiB",
     .help = "a size"},
    {.name = "kind",
     .type = SW_OPTION_CHOICE,
     .offset = FIELD(kind),
     .fallback = "square",
     .choices = "square|oval",
     .help = "a choice"},
    {.name = "tags", .type = SW_OPTION_LIST, .offset = FIELD(tags), .help = "a list"},
    {.name = "labels", .type = SW_OPTION_MAP, .offset = FIELD(labels), .help = "a mapping"},
    {.name = "api_key",
     .type = SW_OPTION_STRING,
     .offset = FIELD(api_key),
     .help = "a secret",
     .secret = true},
    {.name = NULL},
};

static const struct sw_option needy_options[] = {
    {.name = "url", .type = SW_OPTION_STRING, .offset = 0, .help = "where to", .required = true},
    {.name = NULL},
};

static int take(void *state, const struct sw_record *record, struct sw_error *err)
{
    (void)state;
    (void)record;
    sw_error_init(err);
    return 0;
}

/* Knows what the table of options does not. */
static void sample_check(const void *state, struct sw_sink_check *check)
{
    const struct sample *s = state;
    if (!s->text || strcmp(s->text, "checked") != 0)
        return;
    if (s->flag)
        sw_sink_mistake(check, "path", "%s is not a file for a text", s->path);
    if (s->count > 9)
        sw_sink_mistake(check, NULL, "count is %d", (int)s->count);
    sw_sink_remark(check, "text", "is of little use");
}

static const struct sw_sink_plugin sample = {
    SW_SINK_HEADER,
    .name = "sample",
    .version = "1.0",
    .license = "MIT",
    .summary = "has an option of each type",
    .wants = SW_WANT(SW_RECORD_REPORT),
    .options = sample_options,
    .state_size = sizeof(struct sample),
    .record = take,
    .check = sample_check,
};

static const struct sw_sink_plugin needy = {
    SW_SINK_HEADER,
    .name = "needy",
    .version = "1.0",
    .license = "MIT",
    .summary = "has an option that must be given",
    .wants = SW_WANT(SW_RECORD_REPORT),
    .options = needy_options,
    .state_size = sizeof(char *),
    .record = take,
};

void sample_sinks(void)
{
    struct sw_error err;
    /* Where tests share a process they are registered already. */
    sw_sink_register(&sample, NULL, &err);
    sw_sink_register(&needy, NULL, &err);
}

void sample_environment(void)
{
    setenv("SW_TEST_SECRET", "hunter2", 1);
    setenv("SW_TEST_NUMBER", "12", 1);
    unsetenv("SW_TEST_NOT_SET");
    unsetenv("SW_TEST_EITHER");
    unsetenv("STEPWATCH");
    unsetenv("STEPWATCH_CONFIG");
}
