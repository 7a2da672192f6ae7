/* SPDX-License-Identifier: MIT */
/* fuzz_config.c - whatever is in a configuration, it is taken or refused with the place of each
 * mistake; and what is taken is printed as a configuration without mistakes.
 *
 * For libFuzzer (make fuzz-config), and with the files of tests/config a suite of tests/check. */
#include "tests/fuzz/fuzz.h"

#include "tests/config/sinks.h"

#include <stepwatch/inspect.h>
#include <stepwatch/stepwatch.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

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
    require(mistakes >= 0 || sw_error_text(&err)[0]);
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

/* One in 64, as it takes threads. With less time to close a sink that is slow is left alone. */
static bool worth_opening(const char *path, size_t size)
{
    char *text = NULL;
    struct sw_error err;
    bool patient = size % 64 == 0 && sw_config_print(path, &text, &err) == 0 &&
                   strstr(text, "\n  close_timeout: 5s\n");
    free(text);
    return patient;
}

/* A mistake gives an error and no profiler, unless the profiler is off: then the sinks are not
 * checked. */
static void require_open(const char *path, int mistakes, bool may_be_off)
{
    struct sw_error err;
    struct sw_profiler *sw = sw_open(path, &err);
    require(mistakes == 0 || !sw);
    require(err.code == 0 ? mistakes == 0 || may_be_off : mistakes != 0);
    sw_error_free(&err);
    if (sw)
        require(sw_close(sw, &err) == 0);
}

int64_t fuzz_config(const uint8_t *data, size_t size)
{
    char path[64];
    int fd;
    sample_sinks();
    sample_environment();
    int mistakes = check(data, size, path, &fd);
    if (mistakes == 0)
        require_print(path);
    if (mistakes != 0 || worth_opening(path, size))
        require_open(path, mistakes, memmem(data, size, "off", 3));
    close(fd);
    return mistakes;
}
