/* SPDX-License-Identifier: MIT */
/* send_batch.c - sends what waits of parameters, metrics and tags. */
#include "sinks/mlflow/upload/run_upload.h"
#include "core/text/escape.h"
#include "net/http_headers.h"
#include "net/json.h"

#include <stdlib.h>
#include <string.h>

enum { HALVED_AFTER = 3, GIVEN_UP_AFTER = 10 };

static void skip(struct swi_run_upload *upload, const char *name, const char *why)
{
    upload->skipped++;
    swi_warn_of(upload->options.say, upload->options.arg, "", name, " was not uploaded: ", why);
}

static int run_is_gone(struct swi_run_upload *upload, struct sw_error *err)
{
    upload->deleted = true;
    sw_error_prefix(err, "the run was deleted at the server; its journal is kept in %s",
                    upload->options.folder);
    return SW_EIO;
}

/* Whether an error says that the run itself is not there any more. */
static bool is_gone(int status, const struct sw_error *err)
{
    return status == 404 ||
           (status == 400 && strstr(sw_error_text(err), "must be in the 'active' state"));
}

/* Adds an item that was refused again, at the end, with a key that every server takes. Returns
 * false if it had such a key. */
static bool item_again(struct swi_items *items, struct swi_tracking_keys *keys, size_t at,
                       const struct sw_error *err)
{
    json_t *item = swi_json_read(items->json.data + items->item[at].at, items->item[at].size);
    bool again = item && !strstr(sw_error_text(err), "Changing param") &&
                 !swi_tracking_key_is_plain(swi_json_text_at(item, "key"));
    if (again) {
        const char *name = items->item[at].name;
        json_object_set_new(item, "key", json_string(swi_tracking_key_plain(keys, name)));
        char *text = json_dumps(item, JSON_COMPACT), *copy = strdup(name);
        swi_item_begin(items, copy ? copy : "");
        swi_text_put(&items->json, text ? text : "");
        swi_item_end(items);
        items->failed |= !text || !copy;
        free(text);
        free(copy);
    }
    json_decref(item);
    return again;
}

/* Makes the body of log-batch of the items from `first` on, up to `last`. kind: "metrics" or
 * "params". */
static void items_body(struct swi_text *body, const struct swi_items *items, const char *kind,
                       const char *run_id, size_t first, size_t last)
{
    swi_json_format(body, "{\"run_id\":%s,%s:[", run_id, kind);
    for (size_t i = first; i < last; i++) {
        swi_text_put(body, i > first ? "," : "");
        swi_text_add(body, items->json.data + items->item[i].at, items->item[i].size);
    }
    swi_text_put(body, "]}");
}

/* Returns the end of the batch that begins with an item: at most so many, and so many bytes. */
static size_t items_end(const struct swi_items *items, size_t first, size_t most)
{
    size_t bytes = SWI_BATCH_AROUND, last = first;
    while (last < items->count && last - first < most &&
           (last == first || bytes + items->item[last].size < SWI_BATCH_BYTES))
        bytes += items->item[last++].size + 1;
    return last;
}

/* ---- parameters: few, and a refused one must not lose the others ----------------------------- */

static int params_post(struct swi_run_upload *upload, size_t first, size_t last, int *status,
                       struct sw_error *err)
{
    struct swi_text body = {0};
    items_body(&body, &upload->params, "params", upload->state.run_id, first, last);
    return swi_tracking_send(&upload->tracking, "runs/log-batch", &body, NULL, status, err);
}

static int params_send_range(struct swi_run_upload *upload, size_t first, size_t last,
                             struct sw_error *err)
{
    int status, rc = params_post(upload, first, last, &status, err);
    if (rc == SW_EIO && is_gone(status, err))
        return run_is_gone(upload, err);
    if (rc != SW_EIO || (status != 400 && status != 413))
        return rc;
    if (last - first == 1 && !item_again(&upload->params, &upload->param_keys, first, err))
        skip(upload, upload->params.item[first].name, sw_error_text(err));
    sw_error_free(err);
    rc = 0;
    for (size_t i = first; last - first > 1 && rc == 0 && i < last; i++)
        rc = params_send_range(upload, i, i + 1, err);
    return rc;
}

static int params_send(struct swi_run_upload *upload, struct sw_error *err)
{
    int rc = 0;
    for (size_t first = 0, last; rc == 0 && first < upload->params.count; first = last) {
        last = items_end(&upload->params, first, SWI_BATCH_PARAMS);
        rc = params_send_range(upload, first, last, err);
    }
    return rc;
}

/* ---- does the server have a metric? ---------------------------------------------------------- */

/* A server that does not know the question may answer it with its page. */
static bool is_answer(enum swi_asked asked, const struct swi_http_answer *answer)
{
    bool page = asked == SWI_LOST && answer->whole && !answer->outcome.status;
    return asked == SWI_ANSWERED || asked == SWI_REFUSED || page;
}

/* A server with a database ignores a value that it has. */
static int store_ask(struct swi_run_upload *upload, struct sw_error *err)
{
    for (int tries = 1; upload->store == 0; tries++) {
        struct swi_http_answer answer;
        enum swi_asked asked = swi_tracking_try(&upload->tracking, "/api/3.0/mlflow/server-info",
                                                NULL, false, &answer);
        const char *type = swi_json_text_at(answer.json, "store_type");
        if (is_answer(asked, &answer))
            upload->store = strcmp(type, "SqlStore") == 0 ? 1 : 2;
        bool over = asked == SWI_OVER || (!upload->store && !swi_asker_wait(&upload->tracking.asker,
                                                                            NULL, &answer, tries));
        swi_asker_free(&answer);
        if (over)
            return swi_asker_over(&upload->tracking.asker, err);
    }
    return 0;
}

static bool has_point(const json_t *history, const json_t *item)
{
    size_t i;
    json_t *point;
    const json_t *value = json_object_get(item, "value");
    json_array_foreach(json_object_get(history, "metrics"), i, point)
    {
        const json_t *stored = json_object_get(point, "value");
        bool same = json_is_number(value) && json_is_number(stored)
                        ? json_number_value(value) == json_number_value(stored)
                        : json_is_string(value);
        if (same &&
            json_integer_value(json_object_get(point, "step")) ==
                json_integer_value(json_object_get(item, "step")) &&
            json_integer_value(json_object_get(point, "timestamp")) ==
                json_integer_value(json_object_get(item, "timestamp")))
            return true;
    }
    return false;
}

/* Asks whether the server has an item. Returns 1, 0, or a negative code. */
static int is_stored(struct swi_run_upload *upload, size_t at, struct sw_error *err)
{
    const struct swi_batch_item *item = &upload->metrics.item[at];
    struct swi_text path = {0};
    json_t *sent = swi_json_read(upload->metrics.json.data + item->at, item->size), *history;
    swi_text_put(&path, "metrics/get-history?run_id=");
    swi_http_escape(&path, upload->state.run_id);
    swi_text_put(&path, "&metric_key=");
    swi_http_escape(&path, swi_json_text_at(sent, "key"));
    int rc =
        swi_tracking_ask(&upload->tracking, path.data ? path.data : "", NULL, &history, NULL, err);
    if (rc == 0)
        rc = has_point(history, sent);
    swi_text_free(&path);
    json_decref(sent);
    json_decref(history);
    return rc;
}

/* ---- metrics --------------------------------------------------------------------------------- */

/* What a try showed of a batch. */
enum verdict { STORED, AGAIN, HALVE, GIVE_UP, FAILED };

/* The outcome of a batch is unknown: a store that would store it twice is asked first. */
static enum verdict after_lost(struct swi_run_upload *upload, size_t last, struct sw_error *err)
{
    if (store_ask(upload, err) < 0)
        return FAILED;
    int stored = upload->store == 2 ? is_stored(upload, last - 1, err) : 0;
    return stored < 0 ? FAILED : stored ? STORED : AGAIN;
}

/* Old servers choke on some repeated batches with 500. Other busy answers say nothing of the batch.
 */
static enum verdict after_overload(struct swi_run_upload *upload, size_t first, size_t last,
                                   int overloads, struct sw_error *err)
{
    if (last - first > 1)
        return overloads >= HALVED_AFTER ? HALVE : AGAIN;
    if (overloads < GIVEN_UP_AFTER)
        return AGAIN;
    int stored = is_stored(upload, first, err);
    return stored < 0 ? FAILED : stored ? STORED : GIVE_UP;
}

static enum verdict after_cancel(struct swi_run_upload *upload, struct sw_error *err)
{
    swi_asker_over(&upload->tracking.asker, err);
    return FAILED;
}

static enum verdict after_refusal(struct swi_run_upload *upload, size_t first, size_t last,
                                  const struct swi_http_answer *answer, struct sw_error *err)
{
    int status = answer->outcome.status;
    swi_tracking_refused(&upload->tracking, answer, err);
    if (is_gone(status, err)) {
        run_is_gone(upload, err);
        return FAILED;
    }
    if (status != 400 && status != 413)
        return FAILED;
    return last - first > 1 ? HALVE : GIVE_UP;
}

static enum swi_asked metrics_post(struct swi_run_upload *upload, size_t first, size_t last,
                                   struct swi_http_answer *answer)
{
    struct swi_text body = {0};
    items_body(&body, &upload->metrics, "metrics", upload->state.run_id, first, last);
    enum swi_asked asked = SWI_OVER;
    if (body.failed)
        *answer = (struct swi_http_answer){0};
    else
        asked = swi_tracking_try(&upload->tracking, "/api/2.0/mlflow/runs/log-batch", &body, true,
                                 answer);
    swi_text_free(&body);
    return asked;
}

/* Sends a batch until it is known what becomes of it. */
static enum verdict batch_send(struct swi_run_upload *upload, size_t first, size_t last,
                               struct sw_error *err)
{
    enum verdict verdict = AGAIN;
    for (int tries = 1, overloads = 0; verdict == AGAIN; tries++) {
        struct swi_http_answer answer;
        enum swi_asked asked = metrics_post(upload, first, last, &answer);
        overloads += answer.outcome.status == 500;
        bool on = asked != SWI_OVER && (asked != SWI_LOST || swi_asker_wait(&upload->tracking.asker,
                                                                            NULL, &answer, tries));
        if (asked == SWI_ANSWERED)
            verdict = STORED;
        else if (asked == SWI_REFUSED)
            verdict = after_refusal(upload, first, last, &answer, err);
        else if (!on)
            verdict = after_cancel(upload, err);
        else
            verdict = after_lost(upload, last, err);
        if (asked == SWI_LOST && verdict == AGAIN && answer.outcome.status == 500)
            verdict = after_overload(upload, first, last, overloads, err);
        swi_asker_free(&answer);
    }
    return verdict;
}

/* Halves a batch that is refused until the bad item is alone. */
static int metrics_send_range(struct swi_run_upload *upload, size_t first, size_t last,
                              struct sw_error *err)
{
    enum verdict verdict = batch_send(upload, first, last, err);
    if (verdict == FAILED)
        return err->code;
    bool refused = verdict == GIVE_UP && err->code;
    bool again = refused && item_again(&upload->metrics, &upload->metric_keys, first, err);
    if (verdict == GIVE_UP && !again)
        skip(upload, upload->metrics.item[first].name,
             err->code ? sw_error_text(err) : "the server fails with it");
    sw_error_free(err);
    if (verdict == STORED)
        upload->points += (int64_t)(last - first);
    if (verdict != HALVE)
        return 0;
    size_t middle = first + (last - first) / 2;
    int rc = metrics_send_range(upload, first, middle, err);
    return rc == 0 ? metrics_send_range(upload, middle, last, err) : rc;
}

static int metrics_send(struct swi_run_upload *upload, struct sw_error *err)
{
    int rc = 0;
    for (size_t first = 0, last; rc == 0 && first < upload->metrics.count; first = last) {
        last = items_end(&upload->metrics, first, SWI_BATCH_METRICS);
        rc = metrics_send_range(upload, first, last, err);
    }
    return rc;
}

/* ---- tags ------------------------------------------------------------------------------------ */

void swi_tag_cut(struct swi_run_upload *upload, struct swi_text *cut, const char *key,
                 const char *value)
{
    size_t size = swi_characters_size(value, SWI_TAG_MAX);
    swi_text_add(cut, value, size);
    if (value[size])
        swi_warn_of(upload->options.say, upload->options.arg, "the value of the tag ", key,
                    " is cut after 8000 characters", "");
}

int swi_tag_send(struct swi_run_upload *upload, const char *key, const char *value, int *status,
                 struct sw_error *err)
{
    struct swi_text body = {0}, cut = {0};
    swi_tag_cut(upload, &cut, key, value);
    swi_json_format(&body, "{\"run_id\":%s,\"key\":%s,\"value\":%s}", upload->state.run_id, key,
                    cut.data ? cut.data : "");
    swi_text_free(&cut);
    return swi_tracking_send(&upload->tracking, "runs/set-tag", &body, NULL, status, err);
}

/* A tag that is refused does not end the upload of the run. */
static int tag_send(struct swi_run_upload *upload, const char *name, const char *value,
                    struct sw_error *err)
{
    int status = 0;
    const char *key = swi_tracking_key(&upload->tag_keys, name);
    int rc = key ? swi_tag_send(upload, key, value, &status, err) : 0;
    if (rc == SW_EIO && status == 400 && !is_gone(status, err) && !swi_tracking_key_is_plain(key)) {
        key = swi_tracking_key_plain(&upload->tag_keys, name);
        sw_error_free(err);
        rc = key ? swi_tag_send(upload, key, value, &status, err) : 0;
    }
    if (rc != SW_EIO)
        return rc;
    if (is_gone(status, err))
        return run_is_gone(upload, err);
    if (status != 400 && status != 413)
        return rc;
    skip(upload, name, sw_error_text(err));
    sw_error_free(err);
    return 0;
}

static int tags_send(struct swi_run_upload *upload, struct sw_error *err)
{
    size_t i;
    json_t *tag;
    int rc = 0;
    json_array_foreach(upload->tags, i, tag)
    {
        if (rc == 0)
            rc = tag_send(upload, swi_json_text(json_array_get(tag, 0)),
                          swi_json_text(json_array_get(tag, 1)), err);
    }
    return rc;
}

int swi_batch_send(struct swi_run_upload *upload, struct sw_error *err)
{
    if (upload->params.failed || upload->metrics.failed)
        return sw_error_set(err, SW_ENOMEM, "not enough memory for a batch");
    int rc = params_send(upload, err);
    if (rc == 0)
        rc = metrics_send(upload, err);
    if (rc == 0)
        rc = tags_send(upload, err);
    if (rc != 0)
        return rc;
    swi_items_clear(&upload->params);
    swi_items_clear(&upload->metrics);
    json_array_clear(upload->tags);
    return 0;
}
