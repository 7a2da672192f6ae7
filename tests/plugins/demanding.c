/* SPDX-License-Identifier: MIT */
/* demanding - options of every type that must be given, and some that have no default. */
#include <stepwatch/sink.h>

struct demanding {
    bool flag;
    int64_t count;
    double ratio;
    int64_t wait_ns;
    int64_t room;
    const char *text;
    const char *path;
    const char *kind;
    const char *const *tags;
    const char *key;
    const char *const *colours;
    int64_t free_ns;
};

#define OPTION(field, kind_of)                                                                     \
    .name = #field, .type = (kind_of), .offset = offsetof(struct demanding, field)

static const struct sw_option options[] = {
    {OPTION(flag, SW_OPTION_BOOL), .help = "a switch", .required = true},
    {OPTION(count, SW_OPTION_INT), .help = "a number", .required = true, .min = 3, .max = 17},
    {OPTION(ratio, SW_OPTION_FLOAT), .help = "a share", .required = true, .min = 0.5, .max = 1},
    {OPTION(wait_ns, SW_OPTION_DURATION), .help = "a time", .required = true, .min = 0.01,
     .max = 60},
    {OPTION(room, SW_OPTION_SIZE), .help = "a size", .required = true, .min = 4096, .max = 1e9},
    {OPTION(text, SW_OPTION_STRING), .help = "red \033[31m text", .required = true},
    {OPTION(path, SW_OPTION_PATH), .help = "a file\nof two lines", .required = true},
    {OPTION(kind, SW_OPTION_CHOICE), .help = "a kind", .required = true, .choices = "big|small"},
    {OPTION(tags, SW_OPTION_LIST), .help = "some texts", .required = true},
    {OPTION(key, SW_OPTION_STRING), .help = "a secret", .required = true, .secret = true},
    {OPTION(colours, SW_OPTION_LIST), .help = "colours", .fallback = "[red, blue]"},
    {OPTION(free_ns, SW_OPTION_DURATION), .help = "no default"},
    {.name = NULL},
};

static int demanding_record(void *state, const struct sw_record *record, struct sw_error *err)
{
    (void)state;
    (void)record;
    (void)err;
    return 0;
}

const struct sw_sink_plugin sw_sink_plugin = {
    SW_SINK_HEADER,
    .name = "demanding",
    .version = "1.0",
    .license = "MIT",
    .summary = "wants much",
    .wants = SW_WANT(SW_RECORD_REPORT),
    .options = options,
    .state_size = sizeof(struct demanding),
    .record = demanding_record,
};
