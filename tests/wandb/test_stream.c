/* SPDX-License-Identifier: MIT */
/* test_stream.c - posts while a program says nothing, and rows that no post can have. */
#include "sinks/wandb/upload/upload.h"
#include "tests/support/scratch.h"
#include "tests/support/service.h"
#include "tests/support/suite.h"
#include "tests/wandb/online.h"
#include "tests/wandb/written.h"

#include <stdlib.h>
#include <string.h>

static char said[4096];

static void hear(void *arg, int level, const char *text)
{
    (void)arg;
    (void)level;
    snprintf(said + strlen(said), sizeof said - strlen(said), "%s\n", text);
}

static struct service *begin(void)
{
    scratch_enter();
    said[0] = '\0';
    setenv("no_proxy", "*", 1);
    return service_open("");
}

/* ---- silence --------------------------------------------------------------------------------- */

static void *upload_run(void *arg)
{
    struct sw_error err;
    int rc = swi_upload_run(arg, &err);
    return (void *)(intptr_t)rc;
}

static bool is_beat(const json_t *request)
{
    const char *path = json_string_value(json_object_get(request, "path"));
    const char *body = json_string_value(json_object_get(request, "body"));
    return path && strstr(path, "/file_stream") && body && strcmp(body, "{}") == 0;
}

static bool has_beats(json_t *state, void *arg)
{
    json_t *requests = service_requests(arg), *request;
    size_t i, beats = 0;
    (void)state;
    json_array_foreach(requests, i, request) beats += is_beat(request);
    json_decref(requests);
    return beats >= 3;
}

/* Rows are not due for ten minutes, and the service hears of the run all the same. */
START_TEST(a_run_that_is_silent_sends_a_sign_of_life)
{
    struct service *service = begin();
    if (!service)
        return;
    written_make("run",
                 &(struct written){.id = "abc", .rows = 5, .wall_s = 1795255200, .torn = true});
    struct sw_error err;
    struct swi_upload upload;
    pthread_t thread;
    const struct swi_upload_options options = {.log_path = "run/run-abc.wandb",
                                               .folder = "run",
                                               .service = online_service(service_url(service)),
                                               .key = online_key_of("0123456789"),
                                               .interval_s = 600,
                                               .heartbeat_s = 0.1,
                                               .growing = true,
                                               .open_end = true,
                                               .say = hear};
    ck_assert_int_eq(swi_upload_init(&upload, &options, &err), 0);
    ck_assert_int_eq(pthread_create(&thread, NULL, upload_run, &upload), 0);
    service_wait_until(service, has_beats, service);
    swi_upload_close(&upload);
    void *rc;
    pthread_join(thread, &rc);
    ck_assert_int_eq((intptr_t)rc, 0);
    swi_upload_fini(&upload);
    json_t *state = service_state(service);
    json_t *lines = json_object_get(service_run(state), "lines");
    ck_assert_uint_eq(json_array_size(json_object_get(lines, "wandb-history.jsonl")), 5);
    json_decref(state);
    service_close(service);
}
END_TEST

/* ---- a row that is too long ------------------------------------------------------------------ */

static void history_take(struct swi_file_stream *stream, char *json)
{
    struct swi_record_message record = {0};
    struct swi_history_message history = {0};
    struct swi_item_message item = {0};
    const struct swi_item_message *items[] = {&item};
    item.key = (char[]){"text"};
    item.what = SWI_ITEM_VALUE_JSON;
    item.value_json = json;
    history.n_item = 1;
    history.item = items;
    record.num = 1;
    record.what = SWI_RECORD_HISTORY;
    record.history = &history;
    swi_file_stream_take(stream, &record, 0);
}

START_TEST(a_row_that_the_service_does_not_take_is_reported_once_and_left_out)
{
    struct service *service = begin();
    if (!service)
        return;
    struct sw_error err;
    struct swi_link link;
    struct swi_model model;
    struct swi_file_stream stream;
    ck_assert_int_eq(swi_link_init(&link, online_service(service_url(service)),
                                   online_key_of("0123456789"), hear, NULL, NULL, &err),
                     0);
    ck_assert(swi_model_init(&model) && swi_file_stream_init(&stream));
    ck_assert(swi_model_set(&model.id, "abc"));
    struct swi_bucket bucket = {0};
    ck_assert_int_eq(swi_api_upsert(&link, &model, SWI_UPSERT_ALL, NULL, &bucket, &err), 0);
    swi_file_stream_place(&stream, &bucket);
    char *json = malloc(SWI_LINE_MAX + 1);
    memset(json, '1', SWI_LINE_MAX);
    json[SWI_LINE_MAX] = '\0';
    for (int i = 0; i < 2; i++) {
        history_take(&stream, json);
        history_take(&stream, (char[]){"1"});
        ck_assert_int_eq(swi_file_stream_post(&stream, &link, &model, NULL, &err), 0);
    }
    free(json);
    ck_assert_int_eq(stream.rows, 2);
    ck_assert_int_eq(stream.skipped, 2);
    const char *word = strstr(said, "longer than the 10383360 bytes");
    ck_assert_msg(word && !strstr(word + 1, "longer than"), "%s", said);
    swi_bucket_free(&bucket);
    swi_file_stream_fini(&stream);
    swi_model_fini(&model);
    swi_asker_fini(&link.asker);
    service_close(service);
}
END_TEST

SUITE(wandb_stream)
{
    tcase_set_timeout(tc, 180);
    tcase_add_test(tc, a_run_that_is_silent_sends_a_sign_of_life);
    tcase_add_test(tc, a_row_that_the_service_does_not_take_is_reported_once_and_left_out);
}
