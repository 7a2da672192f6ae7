/* SPDX-License-Identifier: MIT */
#include "tests/tools/command.h"

#include "tests/support/host.h"

#include <check.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

static char output[1 << 18];

const char *command_output(void)
{
    return output;
}

int stepwatch(const char *arguments)
{
    char line[1024];
    snprintf(line, sizeof line, "%s/tests/tools/stepwatch %s 2>&1", BUILDDIR, arguments);
    FILE *pipe = popen(line, "r");
    ck_assert_ptr_nonnull(pipe);
    output[fread(output, 1, sizeof output - 1, pipe)] = '\0';
    int status = pclose(pipe);
    ck_assert_msg(WIFEXITED(status), "stepwatch %s ended by signal %d", arguments,
                  WTERMSIG(status));
    return WEXITSTATUS(status);
}

void assert_printed(const char *text)
{
    ck_assert_msg(strstr(output, text) != NULL, "expected \"%s\" in:\n%.3000s", text, output);
}

void assert_not_printed(const char *text)
{
    ck_assert_msg(strstr(output, text) == NULL, "did not expect \"%s\" in:\n%.3000s", text, output);
}

void run_record(const char *detail)
{
    struct host *host = host_open_log(detail, "mode: simple\nrolling_average: 3\n");
    sw_hparam_float(host_profiler(host), "lr", 0.5);
    host_fit(host, 20);
    host_close(host);
}

void file_write(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    fputs(text, file);
    fclose(file);
}

void run_cut(const char *path, size_t bytes)
{
    const char *text = host_file("run.jsonl");
    FILE *file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    fwrite(text, 1, strlen(text) - bytes, file);
    fclose(file);
}
