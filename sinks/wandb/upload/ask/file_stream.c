/* SPDX-License-Identifier: MIT */
#include "sinks/wandb/upload/ask/ask.h"
#include "core/text/escape.h"
#include "net/http_headers.h"

#include <inttypes.h>
#include <string.h>

static const double timeout_s = 180;

bool swi_file_stream_init(struct swi_file_stream *stream)
{
    *stream = (struct swi_file_stream){.steps.last = -1, .uploaded = json_array()};
    return stream->uploaded != NULL;
}

void swi_file_stream_fini(struct swi_file_stream *stream)
{
    swi_text_free(&stream->history.json);
    swi_text_free(&stream->events.json);
    swi_text_free(&stream->output.json);
    swi_text_free(&stream->printed.rest);
    swi_text_free(&stream->summary);
    swi_text_free(&stream->path);
    json_decref(stream->uploaded);
}

void swi_file_stream_place(struct swi_file_stream *stream, const struct swi_bucket *bucket)
{
    stream->path.size = 0;
    swi_text_put(&stream->path, "/files/");
    swi_http_escape(&stream->path, bucket->entity);
    swi_text_put(&stream->path, "/");
    swi_http_escape(&stream->path, bucket->project);
    swi_text_put(&stream->path, "/");
    swi_http_escape(&stream->path, bucket->id);
    swi_text_put(&stream->path, "/file_stream");
}

bool swi_file_stream_take(struct swi_file_stream *stream, const struct swi_record_message *record,
                          double started_s)
{
    bool fits = true;
    if (record->what == SWI_RECORD_HISTORY)
        fits = swi_line_history(&stream->history, &stream->steps, record->history,
                                record->num <= stream->stored_rows);
    stream->skipped += !fits;
    if (record->what == SWI_RECORD_STATS && record->num > stream->stored_events)
        swi_line_stats(&stream->events, record->stats,
                       started_s > 0 ? started_s - stream->steps.runtime_s : 0);
    if (record->what == SWI_RECORD_OUTPUT_RAW)
        swi_line_output(&stream->output, &stream->printed, record->output_raw);
    return fits;
}

bool swi_file_stream_is_full(const struct swi_file_stream *stream)
{
    return stream->history.json.size + stream->events.json.size + stream->output.json.size >=
           SWI_STREAM_FULL;
}

/* Makes the whole summary if it differs from what was last posted; otherwise no text. */
static void summary_new(const struct swi_file_stream *stream, const struct swi_model *model,
                        struct swi_text *summary)
{
    swi_model_summary(model, summary);
    bool same = model->summary.count == 0 ||
                (stream->summary.size == summary->size &&
                 memcmp(stream->summary.data, summary->data, summary->size) == 0);
    if (same)
        summary->size = 0;
}

bool swi_file_stream_has(const struct swi_file_stream *stream, const struct swi_model *model)
{
    struct swi_text summary = {0};
    summary_new(stream, model, &summary);
    bool has = model->preempting || summary.size || stream->history.count || stream->events.count ||
               stream->output.count || json_array_size(stream->uploaded);
    swi_text_free(&summary);
    return has;
}

/* ---- the body -------------------------------------------------------------------------------- */

static void put_lines(struct swi_text *body, const char *name, const struct swi_lines *lines,
                      const char **before)
{
    if (!lines->count)
        return;
    swi_text_format(body, "%s\"%s\":{\"offset\":%" PRId64 ",\"content\":[", *before, name,
                    lines->next);
    swi_text_add(body, lines->json.data, lines->json.size);
    swi_text_put(body, "]}");
    *before = ",";
}

static void put_files(struct swi_text *body, const struct swi_file_stream *stream,
                      const struct swi_text *summary)
{
    const char *before = "\"files\":{";
    put_lines(body, "wandb-history.jsonl", &stream->history, &before);
    put_lines(body, "output.log", &stream->output, &before);
    put_lines(body, "wandb-events.jsonl", &stream->events, &before);
    if (summary->size) {
        swi_text_format(body, "%s\"wandb-summary.json\":{\"offset\":0,\"content\":[", before);
        swi_escape_json(body, summary->data);
        swi_text_put(body, "]}");
        before = ",";
    }
    swi_text_put(body, *before == ',' ? "}" : "");
}

static void put_uploaded(struct swi_text *body, const json_t *uploaded)
{
    for (size_t i = 0; i < json_array_size(uploaded); i++) {
        swi_text_put(body, i ? "," : body->size > 1 ? ",\"uploaded\":[" : "\"uploaded\":[");
        swi_escape_json(body, json_string_value(json_array_get(uploaded, i)));
    }
    swi_text_put(body, json_array_size(uploaded) ? "]" : "");
}

static void put_body(struct swi_text *body, const struct swi_file_stream *stream,
                     const struct swi_text *summary, bool preempting, const int *exit_code)
{
    swi_text_put(body, "{");
    put_files(body, stream, summary);
    put_uploaded(body, stream->uploaded);
    if (preempting)
        swi_text_format(body, "%s\"preempting\":true", body->size > 1 ? "," : "");
    if (exit_code)
        swi_text_format(body, "%s\"complete\":true,\"exitcode\":%d", body->size > 1 ? "," : "",
                        *exit_code);
    swi_text_put(body, "}");
    body->failed |= stream->history.json.failed || stream->events.json.failed ||
                    stream->output.json.failed || summary->failed || stream->path.failed;
}

/* ---- a post ---------------------------------------------------------------------------------- */

static void sent(struct swi_file_stream *stream, const struct swi_text *summary)
{
    stream->rows += stream->history.count;
    swi_lines_sent(&stream->history);
    swi_lines_sent(&stream->events);
    swi_lines_sent(&stream->output);
    json_array_clear(stream->uploaded);
    if (!summary->size)
        return;
    stream->summary.size = 0;
    swi_text_add(&stream->summary, summary->data, summary->size);
}

static int post(struct swi_file_stream *stream, struct swi_link *link, const struct swi_text *body,
                struct sw_error *err)
{
    json_t *answer;
    struct swi_http_request request = {
        .path = stream->path.data, .body = body->data, .size = body->size, .timeout_s = timeout_s};
    if (body->failed)
        return sw_error_set(err, SW_ENOMEM, "not enough memory for the rows that are to be sent");
    int rc = swi_link_send(link, SWI_RETRY_STREAM, &request, &answer, err);
    stream->stopped |= json_is_true(json_object_get(answer, "stopped"));
    json_decref(answer);
    return rc;
}

int swi_file_stream_beat(struct swi_file_stream *stream, struct swi_link *link,
                         struct sw_error *err)
{
    struct swi_text body = {0};
    swi_text_put(&body, "{}");
    int rc = post(stream, link, &body, err);
    swi_text_free(&body);
    return rc;
}

/* Reports it once: such rows stay in the file, and no upload can send them. */
static void skip_say(struct swi_file_stream *stream, const struct swi_link *link)
{
    char text[256];
    if (!stream->skipped || stream->skip_said)
        return;
    stream->skip_said = true;
    snprintf(text, sizeof text,
             "a row is longer than the %d bytes that the service accepts; such rows stay in the "
             "run's file and are not uploaded",
             SWI_LINE_MAX);
    link->asker.say(link->asker.arg, 1, text);
}

int swi_file_stream_post(struct swi_file_stream *stream, struct swi_link *link,
                         const struct swi_model *model, const int *exit_code, struct sw_error *err)
{
    struct swi_text body = {0}, summary = {0};
    skip_say(stream, link);
    summary_new(stream, model, &summary);
    put_body(&body, stream, &summary, model->preempting, exit_code);
    int rc = post(stream, link, &body, err);
    if (rc == 0)
        sent(stream, &summary);
    swi_text_free(&body);
    swi_text_free(&summary);
    return rc;
}
