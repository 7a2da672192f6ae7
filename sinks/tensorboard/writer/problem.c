/* SPDX-License-Identifier: MIT */
/* What went wrong since the last flush is a text: a sentence a line. */
#include "sinks/tensorboard/writer/problem.h"

#include "sinks/tensorboard/writer/metadata.h"
#include "sinks/tensorboard/writer/writer.h"

#include <string.h>

/* False where the text has no room for another line. */
static bool line_add(struct sw_error *problem, int code, const char *line)
{
    size_t used = problem->code ? strlen(problem->text) : 0;
    if (used + strlen(line) + 2 > sizeof problem->text)
        return false;
    snprintf(problem->text + used, sizeof problem->text - used, "%s%s", used ? "\n" : "", line);
    problem->code = problem->code ? problem->code : code;
    return true;
}

int swi_tb_fail(struct sw_tb *tb, int code, const char *format, ...)
{
    char line[1024];
    va_list args;
    tb->stats.lost++;
    if (tb->failed)
        return code;
    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    tb->failed = line_add(&tb->problem, code, line);
    return code;
}

/* One that finds no room is said the next time. */
int swi_tb_refuse(struct sw_tb *tb, struct swi_tb_tag *tag, const char *format, ...)
{
    char line[1024];
    va_list args;
    tb->stats.lost++;
    if (tag->refused)
        return SW_EINVAL;
    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    tag->refused = line_add(&tb->problem, SW_EINVAL, line);
    return SW_EINVAL;
}

void swi_tb_problem_add(struct sw_tb *tb, const struct sw_error *problem)
{
    line_add(&tb->problem, problem->code, problem->text);
}

int swi_tb_problem_take(struct sw_tb *tb, struct sw_error *err)
{
    int code = tb->problem.code;
    if (code)
        sw_error_set(err, code, "%s", tb->problem.text);
    tb->problem.code = 0;
    tb->failed = false;
    return code;
}
