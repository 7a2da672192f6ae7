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

/* Counts a value as lost, and adds a line unless that was said. One that finds no room is said the
 * next time. */
__attribute__((format(printf, 4, 0))) static void lose(struct sw_tb *tb, bool *said, int code,
                                                       const char *format, va_list args)
{
    char line[1024];
    tb->stats.lost++;
    if (*said)
        return;
    vsnprintf(line, sizeof line, format, args);
    *said = line_add(&tb->problem, code, line);
}

int swi_tb_fail(struct sw_tb *tb, int code, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    lose(tb, &tb->failed, code, format, args);
    va_end(args);
    return code;
}

int swi_tb_refuse(struct sw_tb *tb, struct swi_tb_tag *tag, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    lose(tb, &tag->refused, SW_EINVAL, format, args);
    va_end(args);
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
