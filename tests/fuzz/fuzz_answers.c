/* SPDX-License-Identifier: MIT */
/* fuzz_answers.c - whatever a server answers, what reads it ends, and takes no count and no text
 * that was not there. Each input is read as the answer to every question, as an old config and
 * summary, and as a header. For libFuzzer (make fuzz-answers), and with the seeds of
 * tests/fuzz/answers a suite of tests/check. */
#include "tests/fuzz/fuzz.h"

#include "net/http_headers.h"
#include "sinks/wandb/upload/ask/ask.h"
#include "net/asker.h"
#include "net/http.h"
#include "net/json.h"
#include "net/libcurl.h"
#include "net/retry.h"
#include "sinks/wandb/upload/content/model.h"

#include <stdlib.h>
#include <string.h>

static void require_count(int64_t count)
{
    require(count >= 0 && count < INT64_C(1) << 53);
}

static void bucket(const json_t *data)
{
    struct swi_bucket made = {0};
    struct sw_error err;
    int rc = swi_answer_bucket(&made, data, &err);
    require(rc == SW_EIO || (rc == 0 && *made.id && *made.project && *made.entity));
    require_count(made.rows);
    swi_bucket_free(&made);
}

/* A run that goes on: what the server has of it is written again, as JSON that can be read. */
static void resume(json_t *config, json_t *summary)
{
    struct swi_model model;
    struct swi_text texts[3] = {{0}};
    require(swi_model_init(&model));
    swi_model_resume_config(&model, config);
    swi_model_resume_summary(&model, summary);
    swi_model_config(&model, &texts[0]);
    swi_model_summary(&model, &texts[1]);
    swi_model_yaml(&model, &texts[2]);
    json_t *written = swi_json_read(texts[0].data, texts[0].size);
    require(written != NULL || texts[0].failed);
    json_decref(written);
    for (size_t i = 0; i < 3; i++)
        swi_text_free(&texts[i]);
    swi_model_fini(&model);
}

static void status(const json_t *data)
{
    struct swi_status found = {0};
    struct sw_error err;
    require(swi_answer_status(&found, data, &err) == 0);
    require_count(found.rows);
    require_count(found.events);
    require_count(found.lines);
    resume(found.config, found.summary);
    swi_status_free(&found);
}

static void text(const char *bytes, size_t size)
{
    struct sw_error err;
    require(swi_curl_load(&err) == 0);
    require(swi_retry_after_s(bytes, 0) >= -1);
    swi_http_header_ok(bytes);
    json_t *tokens = swi_json_read_tokens(bytes, size);
    resume(tokens, tokens);
    json_decref(tokens);
}

static void whole(const json_t *answer)
{
    const json_t *data = json_object_get(answer, "data");
    struct sw_error err;
    char message[512];
    swi_explain_message(message, sizeof message, answer);
    require(strlen(message) < sizeof message);
    int rc = swi_answer_check("http://127.0.0.1", "Question", answer, &err);
    require(rc == SW_EIO || (rc == 0 && json_is_object(data)));
    bucket(data);
    status(data);
    swi_answer_structured(data);
}

int64_t fuzz_answers(const uint8_t *data, size_t size)
{
    char *bytes = malloc(size + 1);
    require(bytes != NULL);
    if (size)
        memcpy(bytes, data, size);
    bytes[size] = '\0';
    json_t *answer = swi_json_read(bytes, size);
    bool is_json = answer != NULL;
    text(bytes, size);
    whole(answer);
    json_decref(answer);
    free(bytes);
    return is_json;
}
