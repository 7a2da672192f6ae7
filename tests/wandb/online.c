/* SPDX-License-Identifier: MIT */
#include "tests/wandb/online.h"
#include "sinks/wandb/account/credentials.h"
#include "sinks/wandb/account/service.h"
#include "sinks/wandb/file/reader.h"
#include "tests/support/scratch.h"

#include <stepwatch/wandb.h>

#include <check.h>
#include <ftw.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MESSAGES = 8192 };

const char online_key[] = "SECRET0123456789SECRET0123456789SECRET01";
/* base64 of "api:" and the key */
static const char encoded[] = "YXBpOlNFQ1JFVDAxMjM0NTY3ODlTRUNSRVQwMTIzNDU2Nzg5U0VDUkVUMDE=";

const struct swi_wandb_service *online_service(const char *url)
{
    static struct swi_wandb_service service;
    service = (struct swi_wandb_service){0};
    snprintf(service.base_url, sizeof service.base_url, "%s", url);
    snprintf(service.app_url, sizeof service.app_url, "%s", url);
    return &service;
}

const struct swi_wandb_key *online_key_of(const char *text)
{
    static char bytes[SWI_WANDB_VALUE];
    static struct swi_wandb_key key;
    snprintf(bytes, sizeof bytes, "%s", text);
    key = (struct swi_wandb_key){.key = bytes};
    return &key;
}

void online_environment(const struct service *service)
{
    static const char *const names[] = {
        "WANDB_MODE",       "WANDB_PROJECT",     "WANDB_ENTITY",  "WANDB_RUN_ID", "WANDB_NAME",
        "WANDB_DIR",        "WANDB_TAGS",        "WANDB_RESUME",  "RANK",         "http_proxy",
        "HTTP_PROXY",       "https_proxy",       "HTTPS_PROXY",   "SSL_CERT_DIR", "CURL_CA_BUNDLE",
        "WANDB_HTTP_PROXY", "WANDB_HTTPS_PROXY", "SSL_CERT_FILE", "NETRC"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        unsetenv(names[i]);
    setenv("HOME", "/nonexistent", 1);
    setenv("WANDB_CONFIG_DIR", "/nonexistent", 1);
    setenv("no_proxy", "*", 1);
    setenv("WANDB_API_KEY", online_key, 1);
    if (service)
        setenv("WANDB_BASE_URL", service_url(service), 1);
}

struct host *online_open(const char *options, const char *patience)
{
    char all[512], profiler[128];
    snprintf(all, sizeof all, "mode: online\nrun_id: abc\nproject: demo\nsystem: false\n%s",
             options);
    snprintf(profiler, sizeof profiler, "close_timeout: %s\n", patience);
    return host_open_with("wandb", all, profiler);
}

void online_train(struct host *host)
{
    sw_hparam_float(host_profiler(host), "lr", 0.5);
    for (int k = 0; k < ONLINE_ROWS; k++)
        host_metric(host, k, "loss", k);
}

static void keep_message(void *arg, int level, const char *text)
{
    char *messages = arg;
    (void)level;
    strncat(messages, text, MESSAGES - strlen(messages) - 1);
    strncat(messages, "\n", MESSAGES - strlen(messages) - 1);
}

const char *online_run(const char *patience)
{
    static char messages[MESSAGES];
    struct sw_error err = {0};
    struct host *host = online_open("", patience);
    online_train(host);
    /* Opening the sink takes its time on a busy machine, and is not what the end is about. */
    ck_assert_int_eq(sw_flush(host_profiler(host), INT64_C(60000000000)), 0);
    int rc = host_close_rc(host, &err);
    *messages = '\0';
    keep_message(messages, 0, host_messages(host));
    if (rc < 0)
        keep_message(messages, 2, sw_error_text(&err));
    return messages;
}

const char *online_sync_again(double timeout_s)
{
    static char messages[MESSAGES];
    struct sw_error err = {0};
    const struct sw_wandb_sync options = {
        .size = sizeof options, .timeout_s = timeout_s, .say = keep_message, .arg = messages};
    *messages = '\0';
    if (sw_wandb_sync("wandb/latest-run", &options, NULL, &err) < 0)
        keep_message(messages, 2, sw_error_text(&err));
    return messages;
}

const char *online_sync(double timeout_s)
{
    struct host *host =
        host_open("wandb", "mode: offline\nrun_id: abc\nproject: demo\nsystem: false\n");
    online_train(host);
    host_close(host);
    return online_sync_again(timeout_s);
}

/* ---- at the service -------------------------------------------------------------------------- */

static void rows_check(const json_t *lines)
{
    size_t i, losses = 0;
    const json_t *line;
    json_int_t last = -1;
    json_array_foreach(lines, i, line)
    {
        json_t *row = json_loads(json_string_value(line), JSON_REJECT_DUPLICATES, NULL);
        ck_assert_msg(row != NULL, "%s", json_string_value(line));
        const json_t *step = json_object_get(row, "_step"), *loss = json_object_get(row, "loss");
        ck_assert(json_is_integer(step) && json_integer_value(step) > last);
        last = json_integer_value(step);
        if (loss)
            ck_assert_double_eq(json_number_value(loss), (double)losses++);
        json_decref(row);
    }
    ck_assert_uint_eq(losses, ONLINE_ROWS);
}

static void numbers_check(const json_t *numbers)
{
    size_t i;
    const json_t *number;
    json_array_foreach(numbers, i, number)
        ck_assert_int_eq(json_integer_value(number), (json_int_t)i);
}

static bool in_list(const json_t *list, const char *text)
{
    size_t i;
    const json_t *one;
    json_array_foreach(list, i, one) if (strcmp(json_string_value(one), text) == 0) return true;
    return false;
}

static void files_check(const json_t *run)
{
    static const char *const names[] = {"config.yaml", "wandb-summary.json", "wandb-metadata.json",
                                        "output.log"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        ck_assert_msg(json_object_get(json_object_get(run, "files"), names[i]) != NULL,
                      "%s did not arrive", names[i]);
        ck_assert_msg(in_list(json_object_get(run, "uploaded"), names[i]),
                      "%s was not said to be uploaded", names[i]);
    }
}

void online_arrived(struct service *service)
{
    json_t *state = service_state(service), *run = service_run(state);
    ck_assert_ptr_nonnull(run);
    rows_check(json_object_get(json_object_get(run, "lines"), "wandb-history.jsonl"));
    numbers_check(json_object_get(json_object_get(run, "numbers"), "wandb-history.jsonl"));
    ck_assert_uint_eq(json_array_size(json_object_get(run, "rewritten")), 0);
    ck_assert_str_eq(json_string_value(json_object_get(run, "state")), "finished");
    ck_assert_int_eq(json_integer_value(json_object_get(run, "exitcode")), 0);
    ck_assert_ptr_nonnull(json_object_get(json_object_get(run, "config"), "lr"));
    ck_assert_uint_eq(json_array_size(json_object_get(state, "unknown")), 0);
    files_check(run);
    json_decref(state);
}

/* ---- in the file ----------------------------------------------------------------------------- */

static int losses_in(const struct swi_record_message *record)
{
    if (record->what != SWI_RECORD_HISTORY)
        return 0;
    for (size_t i = 0; i < record->history->n_item; i++) {
        const struct swi_item_message *item = record->history->item[i];
        if (strcmp(swi_wandb_item_name(item), "loss") == 0)
            return 1;
    }
    return 0;
}

int online_rows_in_file(bool *ended)
{
    static struct swi_wandb_reader reader;
    const struct swi_record_message *record;
    struct sw_error err;
    glob_t files;
    int rows = 0, rc;
    *ended = false;
    ck_assert_int_eq(glob("wandb/*run-*/run-abc.wandb", 0, NULL, &files), 0);
    ck_assert_uint_eq(files.gl_pathc, 1);
    ck_assert_int_eq(swi_wandb_reader_open(&reader, files.gl_pathv[0], &err), 0);
    while ((rc = swi_wandb_reader_next(&reader, &record, &err)) == 1) {
        rows += losses_in(record);
        *ended |= record->what == SWI_RECORD_EXIT;
    }
    ck_assert_msg(rc == 0, "%s", sw_error_text(&err));
    swi_wandb_reader_close(&reader);
    globfree(&files);
    return rows;
}

/* ---- the key --------------------------------------------------------------------------------- */

static bool holds_key(const char *bytes, size_t size)
{
    return memmem(bytes, size, online_key, strlen(online_key)) ||
           memmem(bytes, size, encoded, strlen(encoded) - 2);
}

static int file_check(const char *path, const struct stat *status, int type, struct FTW *ftw)
{
    (void)ftw;
    if (type != FTW_F || status->st_size == 0)
        return 0;
    char *bytes = malloc((size_t)status->st_size);
    FILE *file = fopen(path, "rb");
    ck_assert(bytes && file);
    size_t size = fread(bytes, 1, (size_t)status->st_size, file);
    fclose(file);
    ck_assert_msg(!holds_key(bytes, size), "the key stands in %s", path);
    free(bytes);
    return 0;
}

/* Takes the header with the key out of a request to the configured host. */
static void authorization_remove(json_t *request)
{
    json_t *headers = json_object_get(request, "headers");
    const char *listener = json_string_value(json_object_get(request, "listener"));
    for (size_t i = json_array_size(headers); i-- > 0;) {
        const json_t *pair = json_array_get(headers, i);
        if (strcasecmp(json_string_value(json_array_get(pair, 0)), "Authorization") == 0 &&
            strcmp(listener, "main") == 0)
            json_array_remove(headers, i);
    }
}

static void requests_check(struct service *service)
{
    size_t i;
    json_t *requests = service_requests(service), *request;
    json_array_foreach(requests, i, request)
    {
        authorization_remove(request);
        char *text = json_dumps(request, 0);
        ck_assert_msg(!holds_key(text, strlen(text)), "the key stands in a request: %s", text);
        free(text);
    }
    json_decref(requests);
}

void online_key_is_kept(struct service *service, const char *messages)
{
    ck_assert_int_eq(nftw(".", file_check, 16, FTW_PHYS), 0);
    ck_assert_msg(!holds_key(messages, strlen(messages)), "%s", messages);
    requests_check(service);
}

struct service *online_begin(const char *arguments)
{
    scratch_enter();
    struct service *service = service_open(arguments);
    if (service)
        online_environment(service);
    return service;
}
