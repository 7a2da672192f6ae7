/* SPDX-License-Identifier: MIT */
/* other_writers.c - finds other processes that write a run. The service keeps the lines of one
 * writer: two at a time would overwrite each other's. */
#include "sinks/wandb/upload/upload.h"
#include "core/clock/now.h"
#include "net/json.h"

#include <string.h>
#include <time.h>

static const double between_s = 2;
/* Measured with two clocks that may differ. */
static const double long_ago_s = 600;

/* ---- who ------------------------------------------------------------------------------------- */

static const char *writer_of(const json_t *environment)
{
    return swi_json_text_at(environment, "writerId");
}

static const char *start_of(const json_t *environment)
{
    return swi_json_text_at(environment, "startedAt");
}

static json_t *writers_of(const struct swi_status *status)
{
    return (json_t *)(uintptr_t)swi_json_at(status->config, "_wandb", "value", "e");
}

/* Times in RFC 3339 and UTC sort as text. */
static bool began_later(const struct swi_model *model, const json_t *environment)
{
    return strcmp(start_of(environment), start_of(model->environment)) > 0;
}

void swi_other_writers_find(struct swi_other_writers *others, const struct swi_model *model,
                            const struct swi_status *status)
{
    const char *id;
    json_t *environment, *writers = writers_of(status);
    *others =
        (struct swi_other_writers){.ours = json_object_get(writers, writer_of(model->environment)),
                                   .named = json_object_size(writers) > 0};
    others->alone = others->ours && json_object_size(writers) == 1;
    others->life = others->named ? SWI_WRITER_ENDED : SWI_WRITER_UNKNOWN;
    json_object_foreach(writers, id, environment)
    {
        bool another = strcmp(id, writer_of(model->environment)) != 0;
        bool later = another && began_later(model, environment), before = another && !others->ours;
        enum swi_writer_life life = later || before ? swi_writer_life(id) : SWI_WRITER_ENDED;
        others->later |= later;
        others->before |= before;
        others->life = life > others->life ? life : others->life;
    }
}

/* ---- whether it writes ----------------------------------------------------------------------- */

static const char written_now[] = "is being written by another process";

static int refuse(const struct swi_model *model, const char *how, struct sw_error *err)
{
    return sw_error_set(err, SW_EINVAL,
                        "run %s %s, and the service keeps the rows of only one writer: give each "
                        "process its own id (option run_id or WANDB_RUN_ID), or upload this "
                        "one's file when the other has ended, or as another run with stepwatch "
                        "sync --run-id ID",
                        model->id, how);
}

static double age_s(const char *heard)
{
    struct tm date = {0};
    const char *end = strptime(heard, "%Y-%m-%dT%H:%M:%S", &date);
    return end ? (double)(time(NULL) - timegm(&date)) : 0;
}

static void say_waiting(struct swi_link *link, const struct swi_model *model)
{
    char text[512];
    snprintf(text, sizeof text,
             "run %s is marked as running at the service: another process may still be writing it, "
             "so nothing is sent until it has been silent for %.0f s",
             model->id, link->silent_s);
    link->asker.say(link->asker.arg, 1, text);
}

static bool is_same(const struct swi_state *a, const struct swi_state *b)
{
    return strcmp(a->name, b->name) == 0 && strcmp(a->heard, b->heard) == 0 && a->rows == b->rows;
}

static bool is_running(const struct swi_state *state)
{
    return strcmp(state->name, "running") == 0;
}

static int listen(struct swi_link *link, const struct swi_model *model, struct swi_state *state,
                  struct sw_error *err)
{
    int64_t until_ns = swi_now_ns() + (int64_t)(link->silent_s * 1e9);
    say_waiting(link, model);
    while (swi_now_ns() < until_ns) {
        struct swi_state now = {0};
        int64_t next_ns = swi_now_ns() + (int64_t)(between_s * 1e9);
        /* A wait also ends when the file grows. */
        while (swi_now_ns() < next_ns)
            if (!swi_pace_wait(&link->asker.pace, (double)(next_ns - swi_now_ns()) * 1e-9))
                return sw_error_set(err, SW_ETIME, "the upload was stopped before it began");
        int rc = swi_api_state(link, model, &now, err);
        if (rc < 0)
            return rc;
        if (is_running(&now) && !is_same(&now, state))
            return refuse(model, written_now, err);
        *state = now;
        if (!is_running(state))
            return 0;
    }
    return 0;
}

int swi_other_writers_wait(struct swi_link *link, const struct swi_model *model,
                           const struct swi_other_writers *others, bool older,
                           struct swi_state *state, struct sw_error *err)
{
    SW_ERROR_SCOPE(ignored);
    if (others->life == SWI_WRITER_ENDED && !older)
        return 0;
    int rc = swi_api_state(link, model, state, &ignored);
    if (rc == SW_ETIME)
        return sw_error_set(err, rc, "%s", sw_error_text(&ignored));
    if (rc < 0 || !is_running(state))
        return 0;
    if (others->life == SWI_WRITER_LIVES)
        return refuse(model, written_now, err);
    if (others->life == SWI_WRITER_ENDED || age_s(state->heard) > long_ago_s)
        return 0;
    return listen(link, model, state, err);
}

/* ---- after a silence ------------------------------------------------------------------------- */

void swi_other_writers_note(json_t *writers, const struct swi_model *model,
                            const struct swi_status *status)
{
    json_object_update(writers, writers_of(status));
    json_object_set_new(writers, writer_of(model->environment), json_true());
}

static bool is_named(const json_t *writers, const struct swi_status *status)
{
    const char *id;
    json_t *environment;
    bool named = false;
    json_object_foreach(writers_of(status), id, environment) named |= !json_object_get(writers, id);
    return named;
}

/* Returns whether no other process has added lines: a post is stored completely or not at all. */
static bool is_as_left(const struct swi_lines *lines, int64_t there, bool tried)
{
    return there <= lines->next || (tried && there == lines->next + lines->count);
}

int swi_other_writers_look(struct swi_link *link, const struct swi_model *model,
                           const json_t *writers, const struct swi_file_stream *stream, bool tried,
                           struct sw_error *err)
{
    struct swi_status status = {0};
    int rc = swi_api_status(link, SWI_RETRY_LOOK, model, &status, err);
    if (rc == 0 &&
        (is_named(writers, &status) || !is_as_left(&stream->history, status.rows, tried) ||
         !is_as_left(&stream->events, status.events, tried)))
        rc = refuse(model, "was written by another process while this one was cut off", err);
    swi_status_free(&status);
    return rc;
}
