/* SPDX-License-Identifier: MIT */
/* test_transcripts.c - request by request, what the sink sends has the form of what the service's
 * own client was recorded to send: the same operations, variables of the same names and types, the
 * same parts of a post. */
#include "tests/support/suite.h"
#include "tests/wandb/online.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *text_at(const json_t *json, const char *name)
{
    const char *text = json_string_value(json_object_get(json, name));
    return text ? text : "";
}

/* The recorded requests of all transcripts of a client of its own. */
static json_t *recorded(void)
{
    static const char *const names[] = {"online", "resume_allow", "failed_exit1"};
    static char line[1 << 20];
    json_t *all = json_array();
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[1024];
        snprintf(path, sizeof path, SRCDIR "/tests/golden/wandb/%s.jsonl", names[i]);
        FILE *file = fopen(path, "r");
        ck_assert_msg(file != NULL, "%s", path);
        while (fgets(line, sizeof line, file))
            json_array_append_new(all, json_loads(line, 0, NULL));
        fclose(file);
    }
    return all;
}

/* One level down, as JSON has only one kind of number. */
static bool same_kind(const json_t *a, const json_t *b)
{
    bool numbers = json_is_number(a) && json_is_number(b);
    bool bools = json_is_boolean(a) && json_is_boolean(b);
    return numbers || bools || json_typeof(a) == json_typeof(b);
}

/* Every member of ours is one of theirs, of the same type unless it says nothing. */
static void form_check(const char *what, json_t *ours, const json_t *theirs)
{
    const char *name;
    json_t *value;
    json_object_foreach(ours, name, value)
    {
        const json_t *other = json_object_get(theirs, name);
        ck_assert_msg(other != NULL, "%s: the client has no %s", what, name);
        ck_assert_msg(json_is_null(value) || json_is_null(other) || same_kind(value, other),
                      "%s: %s is of another type", what, name);
        if (json_is_object(value) && json_is_object(other))
            form_check(what, value, other);
    }
}

/* All that was recorded of one operation, put together: a member that is null in one is said in
 * another. */
static json_t *variables_of(const json_t *requests, const char *operation)
{
    json_t *all = NULL;
    size_t i;
    const json_t *request;
    json_array_foreach(requests, i, request)
    {
        const json_t *body = json_object_get(request, "body");
        const char *name;
        json_t *value, *variables = json_object_get(body, "variables");
        if (strcmp(text_at(body, "operationName"), operation) != 0)
            continue;
        all = all ? all : json_object();
        json_object_foreach(variables, name,
                            value) if (!json_is_null(value) || !json_object_get(all, name))
            json_object_set(all, name, value);
    }
    return all;
}

static void question_check(const json_t *requests, const json_t *body)
{
    const char *operation = text_at(body, "operationName");
    json_t *theirs = variables_of(requests, operation);
    ck_assert_msg(theirs != NULL, "the client asks no %s", operation);
    form_check(operation, json_object_get(body, "variables"), theirs);
    json_decref(theirs);
}

static void lines_check(const char *file, const json_t *content)
{
    size_t i;
    const json_t *line;
    json_array_foreach(content, i, line)
    {
        json_t *row = json_loads(json_string_value(line), JSON_REJECT_DUPLICATES, NULL);
        ck_assert_msg(json_is_object(row), "%s: %s", file, json_string_value(line));
        if (strcmp(file, "wandb-history.jsonl") == 0) {
            ck_assert(json_is_integer(json_object_get(row, "_step")));
            ck_assert(json_is_number(json_object_get(row, "_runtime")));
            ck_assert(json_is_number(json_object_get(row, "_timestamp")));
        }
        if (strcmp(file, "wandb-events.jsonl") == 0)
            ck_assert(json_is_true(json_object_get(row, "_wandb")));
        json_decref(row);
    }
}

static void post_check(const json_t *body)
{
    static const char *const files[] = {"wandb-history.jsonl", "wandb-events.jsonl", "output.log",
                                        "wandb-summary.json"};
    const char *name;
    json_t *part;
    json_object_foreach(json_object_get(body, "files"), name, part)
    {
        bool known = false;
        for (size_t i = 0; i < sizeof files / sizeof *files; i++)
            known |= strcmp(name, files[i]) == 0;
        ck_assert_msg(known, "%s", name);
        ck_assert(json_is_integer(json_object_get(part, "offset")));
        ck_assert_uint_gt(json_array_size(json_object_get(part, "content")), 0);
        lines_check(name, json_object_get(part, "content"));
    }
    ck_assert_int_eq(json_is_true(json_object_get(body, "complete")),
                     json_is_integer(json_object_get(body, "exitcode")));
}

static void requests_check(struct service *service)
{
    json_t *theirs = recorded(), *ours = service_requests(service), *last = NULL;
    size_t i, posts = 0;
    const json_t *request;
    json_array_foreach(ours, i, request)
    {
        json_t *body = json_loads(text_at(request, "body"), 0, NULL);
        const char *path = text_at(request, "path");
        if (strcmp(path, "/graphql") == 0)
            question_check(theirs, body);
        if (strstr(path, "/file_stream")) {
            ck_assert_str_eq(path, "/files/fake-entity/demo/abc/file_stream");
            post_check(body);
            json_decref(last);
            last = json_incref(body);
            posts++;
        }
        json_decref(body);
    }
    ck_assert_uint_gt(posts, 0);
    ck_assert(json_is_true(json_object_get(last, "complete")));
    json_decref(last);
    json_decref(theirs);
    json_decref(ours);
}

SERVICE_TEST(a_run_asks_what_the_client_asks, "")
{
    struct host *host = online_open("", "100s");
    host_fit(host, 20);
    host_close(host);
    requests_check(service);
    online_key_is_kept(service, host_messages(host));
}

SERVICE_TEST(a_run_that_goes_on_asks_what_the_client_asks, "")
{
    for (int i = 0; i < 2; i++) {
        struct host *host = online_open(i ? "resume: must\ndir: b\n" : "resume: allow\n", "100s");
        online_train(host);
        host_close(host);
    }
    requests_check(service);
    ck_assert_int_eq(service_count(service, "RunResumeStatus"), 2);
    online_key_is_kept(service, "");
}

SUITE(wandb_transcripts)
{
    tcase_add_test(tc, a_run_asks_what_the_client_asks);
    tcase_add_test(tc, a_run_that_goes_on_asks_what_the_client_asks);
}
