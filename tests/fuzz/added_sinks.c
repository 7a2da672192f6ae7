/* SPDX-License-Identifier: MIT */
/* added_sinks.c - stand-ins for the plugins that keys of the profiler add, where a fuzzer has none.
 */
#include <stepwatch/sink.h>

#include <stdlib.h>

struct added {
    const char *path;
    bool plain;
};

static const struct sw_option options[] = {
    {.name = "path",
     .type = SW_OPTION_PATH,
     .offset = offsetof(struct added, path),
     .fallback = "-",
     .help = "a file"},
    {.name = "plain",
     .type = SW_OPTION_BOOL,
     .offset = offsetof(struct added, plain),
     .fallback = "false",
     .help = "a switch"},
    {.name = NULL},
};

static int take(void *state, const struct sw_record *record, struct sw_error *err)
{
    (void)state;
    (void)record;
    sw_error_init(err);
    return 0;
}

#define SINK(NAME)                                                                                 \
    {                                                                                              \
        SW_SINK_HEADER, .name = NAME, .version = "1.0", .license = "MIT",                          \
                        .summary = "for the fuzzer", .wants = SW_WANT(SW_RECORD_REPORT),           \
                        .options = options, .state_size = sizeof(struct added), .record = take     \
    }

static const struct sw_sink_plugin sinks[] = {SINK("table"), SINK("markdown"), SINK("csv")};

__attribute__((constructor)) static void sinks_register(void)
{
    struct sw_error err;
    unsetenv("STEPWATCH_PLUGIN_PATH");
    for (size_t i = 0; i < sizeof sinks / sizeof *sinks; i++)
        if (sw_sink_register(&sinks[i], NULL, &err) < 0)
            abort();
}
