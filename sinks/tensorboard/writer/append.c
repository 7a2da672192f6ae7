/* SPDX-License-Identifier: MIT */
/* append.c - puts records behind those that wait to be written. */
#include "core/clock/now.h"
#include "sinks/tensorboard/writer/writer.h"

#include <errno.h>
#include <math.h>
#include <string.h>

/* ---- what went wrong since the last flush ---------------------------------------------------- */

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

double swi_tb_now(const struct sw_tb *tb)
{
    return isnan(tb->wall_s) ? (double)swi_wall_ns() * 1e-9 : tb->wall_s;
}

void swi_tb_event_begin(struct swi_text *event, double now, int64_t step)
{
    if (now < 0 || now > 0 || isnan(now))
        swi_wire_add_double(event, SWI_TB_EVENT_WALL_TIME, now);
    if (step != 0)
        swi_wire_add_number(event, SWI_TB_EVENT_STEP, (uint64_t)step);
}

static int no_room(struct sw_tb *tb)
{
    if (errno == ENOMEM)
        return swi_tb_fail(tb, SW_ENOMEM, "not enough memory for a record of %s", tb->path);
    return swi_tb_fail(tb, SW_EIO, "cannot write to %s: %s", tb->path, strerror(errno));
}

uint8_t *swi_tb_reserve(struct sw_tb *tb, size_t size, int *rc)
{
    if (size > SWI_TB_PAYLOAD_MAX) {
        *rc = swi_tb_fail(tb, SW_EINVAL,
                          "a record of %zu MiB is too large for TensorBoard: 256 MiB are allowed",
                          size >> 20);
        return NULL;
    }
    pthread_mutex_lock(&tb->flusher.lock);
    uint8_t *payload = swi_tb_output_reserve(&tb->output, size);
    *rc = payload ? 0 : no_room(tb);
    if (!payload)
        pthread_mutex_unlock(&tb->flusher.lock);
    return payload;
}

bool swi_tb_append(struct sw_tb *tb, size_t size, double now)
{
    swi_tb_output_commit(&tb->output, size);
    tb->stats.records++;
    tb->stats.bytes += (int64_t)(size + SWI_TB_FRAME);
    /* Also if the clock was set back; otherwise the next flush would be far away. */
    bool due = now - tb->flushed_s >= tb->flush_s || now < tb->flushed_s;
    if (!due)
        swi_tb_flusher_need(&tb->flusher);
    pthread_mutex_unlock(&tb->flusher.lock);
    return due;
}

uint8_t *swi_tb_event_put(struct sw_tb *tb, const struct swi_text *event, int *rc)
{
    if (event->failed) {
        *rc = swi_tb_fail(tb, SW_ENOMEM, "not enough memory for a record of %s", tb->path);
        return NULL;
    }
    uint8_t *payload = swi_tb_reserve(tb, event->size, rc);
    if (payload)
        memcpy(payload, event->data, event->size);
    return payload;
}
