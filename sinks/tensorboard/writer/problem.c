/* SPDX-License-Identifier: MIT */
/* What went wrong since the last flush, as a text with a sentence in each line. */
#include "sinks/tensorboard/writer/problem.h"

#include "sinks/tensorboard/writer/metadata.h"
#include "sinks/tensorboard/writer/writer.h"

static void line_add(struct sw_error *problem, int code, const char *line)
{
    sw_error_append(problem, "%s%s", problem->code ? "\n" : "", line);
    problem->code = problem->code ? problem->code : code;
}

/* Counts a value as lost, and adds a line if that was not reported yet. */
__attribute__((format(printf, 4, 0))) static void lose(struct sw_tb *tb, bool *said, int code,
                                                       const char *format, va_list args)
{
    char line[1024];
    tb->stats.lost++;
    if (*said)
        return;
    vsnprintf(line, sizeof line, format, args);
    line_add(&tb->problem, code, line);
    *said = true;
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
    line_add(&tb->problem, problem->code, sw_error_text(problem));
}

int swi_tb_problem_take(struct sw_tb *tb, struct sw_error *err)
{
    int code = tb->problem.code;
    if (code)
        sw_error_set(err, code, "%s", sw_error_text(&tb->problem));
    sw_error_free(&tb->problem);
    tb->failed = false;
    return code;
}
