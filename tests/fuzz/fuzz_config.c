/* SPDX-License-Identifier: MIT */
/* fuzz_config.c - whatever stands in a configuration, it is taken or refused with the place of each
 * mistake; and what is taken is printed as a configuration without mistakes.
 *
 * For libFuzzer (make fuzz-config), and with the files of tests/config a suite of tests/check. */
#include "tests/fuzz/fuzz_config.h"

#include <stepwatch/inspect.h>
#include <stepwatch/sink.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* ---- the sinks that the files of tests/config name ----------------------------------------------
 */

struct sample {
    const char *text;
    const char *path;
    const char *kind;
    const char *const *tags;
    const char *api_key;
    int64_t count;
    double ratio;
    bool flag;
    int64_t wait_ns;
    int64_t room;
};

#define OPTION(NAME, TYPE, FIELD, ...)                                                             \
    {                                                                                              \
        .name = NAME, .type = SW_OPTION_##TYPE, .offset = offsetof(struct sample, FIELD),          \
        .help = "for the fuzzer", __VA_ARGS__                                                      \
    }

static const struct sw_option sample_options[] = {
    OPTION("text", STRING, text, .fallback = NULL),
    OPTION("path", PATH, path, .fallback = "-"),
    OPTION("count", INT, count, .fallback = "6", .min = 1, .max = 17),
    OPTION("ratio", FLOAT, ratio, .fallback = "0.5", .min = 0, .max = 1),
    OPTION("flag", BOOL, flag, .fallback = "false"),
    OPTION("wait", DURATION, wait_ns, .fallback = "250ms"),
    OPTION("room", SIZE, room, .fallback = "8MiB"),
    OPTION("kind", CHOICE, kind, .fallback = "square", .choices = "square|oval"),
    OPTION("tags", LIST, tags, .fallback = NULL),
    OPTION("api_key", STRING, api_key, .secret = true),
    {.name = NULL},
};

static const struct sw_option needy_options[] = {
    OPTION("url", STRING, text, .required = true),
    {.name = NULL},
};

/* Of the sinks that keys of the profiler add. */
static const struct sw_option added_options[] = {
    OPTION("path", PATH, path, .fallback = "-"),
    OPTION("plain", BOOL, flag, .fallback = "false"),
    {.name = NULL},
};

static int take(void *state, const struct sw_record *record, struct sw_error *err)
{
    (void)state;
    (void)record;
    sw_error_clear(err);
    return 0;
}

#define SINK(NAME, OPTIONS)                                                                        \
    {                                                                                              \
        SW_SINK_HEADER, .name = NAME, .version = "1.0", .license = "MIT",                          \
                        .summary = "for the fuzzer", .wants = SW_WANT(SW_RECORD_REPORT),           \
                        .options = OPTIONS, .state_size = sizeof(struct sample), .record = take    \
    }

static const struct sw_sink_plugin sinks[] = {
    SINK("sample", sample_options),  SINK("needy", needy_options), SINK("table", added_options),
    SINK("markdown", added_options), SINK("csv", added_options),
};

static void sinks_register(void)
{
    static bool done;
    struct sw_error err;
    for (size_t i = 0; !done && i < sizeof sinks / sizeof *sinks; i++)
        if (sw_sink_register(&sinks[i], &err) < 0)
            abort();
    done = true;
}

/* ---- what has to hold ---------------------------------------------------------------------------
 */

static void require(bool fine)
{
    if (!fine)
        abort();
}

/* Each line is "FILE:LINE:COLUMN: sentence"; "FILE: sentence" where it is about the whole file. */
static void require_places(const char *text, const char *path)
{
    size_t length = strlen(path);
    int line, column, end;
    while (*text) {
        require(strncmp(text, path, length) == 0 && text[length] == ':');
        text += length + 1;
        end = 0;
        require(*text == ' ' || (sscanf(text, "%d:%d: %n", &line, &column, &end) == 2 && end > 0 &&
                                 line >= 1 && column >= 1));
        const char *newline = strchr(text, '\n');
        text = newline ? newline + 1 : text + strlen(text);
    }
}

static int check(const void *data, size_t size, char path[64], int *fd)
{
    char *text = NULL;
    struct sw_error err;
    *fd = memfd_create("fuzz", MFD_CLOEXEC);
    require(*fd >= 0 && write(*fd, data, size) == (ssize_t)size);
    snprintf(path, 64, "/proc/self/fd/%d", *fd);
    int mistakes = sw_config_check(path, &text, &err);
    require(mistakes <= 0 || text);
    require(mistakes >= 0 || err.text[0]);
    if (mistakes > 0)
        require_places(text, path);
    free(text);
    return mistakes;
}

/* Secrets are masked in a print: with one of them it is another configuration. */
static void require_print(const char *path)
{
    char *text = NULL, again[64];
    struct sw_error err;
    int fd;
    require(sw_config_print(path, &text, &err) == 0 && text);
    if (!strstr(text, "api_key")) {
        require(check(text, strlen(text), again, &fd) == 0);
        close(fd);
    }
    free(text);
}

int fuzz_config(const uint8_t *data, size_t size)
{
    char path[64];
    int fd;
    sinks_register();
    int mistakes = check(data, size, path, &fd);
    if (mistakes == 0)
        require_print(path);
    close(fd);
    return mistakes;
}

#ifdef FUZZER
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_config(data, size);
    return 0;
}
#endif
