/* SPDX-License-Identifier: MIT */
/* test_values_sent.c - values that are more than a number, at the service: while the program runs,
 * and by a later upload. */
#include "sinks/wandb/upload/content/model.h"
#include "tests/support/suite.h"
#include "tests/wandb/online.h"

#include <stepwatch/stepwatch.h>

#include <stdio.h>
#include <string.h>

enum { IMAGES = 64, STEPS = 3 };

/* Different ones, because equal ones would be one file. */
static void images_log(struct sw_profiler *sw, int step)
{
    struct sw_image image[IMAGES];
    uint8_t own[IMAGES][2];
    for (int i = 0; i < IMAGES; i++) {
        own[i][0] = (uint8_t)(i + 1);
        own[i][1] = (uint8_t)step;
        image[i] = (struct sw_image){.size = sizeof *image,
                                     .data = own[i],
                                     .layout = SW_HWC,
                                     .type = SW_U8,
                                     .width = 2,
                                     .height = 1,
                                     .channels = 1};
    }
    ck_assert_int_eq(sw_log_images(sw, "batch", image, IMAGES), 0);
}

static void values_log(struct host *host)
{
    struct sw_profiler *sw = host_profiler(host);
    const struct sw_rule rule = {.size = sizeof rule, .keep = SW_KEEP_MAX | SW_KEEP_LAST};
    sw_define(sw, "acc", &rule);
    sw_summary(sw, "best", 0.5);
    for (int i = 0; i < STEPS; i++) {
        images_log(sw, i);
        host_metric(host, i, "acc", i == 1 ? 0.6 : 0.4);
        host_metric(host, i, "best", i);
    }
    FILE *file = fopen("model.bin", "w");
    ck_assert(file && fputs("weights", file) >= 0 && fclose(file) == 0);
    ck_assert_int_eq(sw_log_file(sw, "model.bin", NULL), 0);
}

static size_t files_named(json_t *run, const char *begin)
{
    const char *name;
    json_t *file;
    size_t count = 0;
    json_object_foreach(json_object_get(run, "files"), name, file) count +=
        strncmp(name, begin, strlen(begin)) == 0;
    return count;
}

static json_t *summary_of(json_t *run)
{
    json_t *lines = json_object_get(json_object_get(run, "lines"), "wandb-summary.json");
    return json_loads(json_string_value(json_array_get(lines, json_array_size(lines) - 1)), 0,
                      NULL);
}

static void arrived(struct service *service)
{
    json_auto_t *state = service_state(service);
    json_t *run = service_run(state);
    ck_assert_uint_eq(files_named(run, "media/images/batch_"), IMAGES * STEPS);
    ck_assert_uint_eq(files_named(run, "model.bin"), 1);
    json_auto_t *summary = summary_of(run);
    json_auto_t *expected = json_pack("{s:f, s:f}", "max", 0.6, "last", 0.4);
    ck_assert(json_equal(json_object_get(summary, "acc"), expected));
    ck_assert_double_eq(json_number_value(json_object_get(summary, "best")), 0.5);
}

/* The service accepts a limited number of names. */
static void names_are_few(struct service *service)
{
    size_t i;
    json_t *request;
    json_auto_t *all = service_requests(service);
    json_array_foreach(all, i, request)
    {
        json_t *names = json_object_get(
            json_object_get(json_object_get(request, "body"), "variables"), "files");
        ck_assert_uint_le(json_array_size(names), 64);
    }
}

SERVICE_TEST(values_arrive_while_the_program_runs, "")
{
    struct host *host = online_open("interval: 100ms", "20s");
    values_log(host);
    host_close(host);
    arrived(service);
    names_are_few(service);
}

SERVICE_TEST(values_arrive_by_a_later_upload, "")
{
    struct host *host =
        host_open("wandb", "mode: offline\nrun_id: abc\nproject: demo\nsystem: false\n");
    values_log(host);
    host_close(host);
    ck_assert_str_eq(online_sync_again(30), "");
    arrived(service);
}

/* More than the names of one question, and all of one step. */
enum { MANY = 1000 };

static void many_log(struct sw_profiler *sw)
{
    for (int done = 0; done < MANY; done += IMAGES) {
        struct sw_image image[IMAGES];
        uint8_t own[IMAGES][2];
        char name[16];
        int count = MANY - done < IMAGES ? MANY - done : IMAGES;
        for (int i = 0; i < count; i++) {
            own[i][0] = (uint8_t)((done + i) >> 8);
            own[i][1] = (uint8_t)(done + i);
            image[i] = (struct sw_image){.size = sizeof *image,
                                         .data = own[i],
                                         .layout = SW_HWC,
                                         .type = SW_U8,
                                         .width = 2,
                                         .height = 1,
                                         .channels = 1};
        }
        snprintf(name, sizeof name, "batch%d", done / IMAGES);
        ck_assert_int_eq(sw_log_images(sw, name, image, (size_t)count), 0);
    }
}

SERVICE_TEST(a_thousand_images_of_one_step_arrive, "")
{
    struct host *host = online_open("interval: 100ms", "60s");
    host_metric(host, 0, "acc", 0.5);
    many_log(host_profiler(host));
    host_metric(host, 1, "acc", 0.25);
    host_close(host);
    json_auto_t *state = service_state(service);
    json_t *run = service_run(state);
    ck_assert_uint_eq(files_named(run, "media/images/batch"), MANY);
    names_are_few(service);
    json_auto_t *summary = summary_of(run);
    ck_assert_double_eq(json_number_value(json_object_get(summary, "acc")), 0.25);
    ck_assert_int_eq(
        (int)json_integer_value(json_object_get(json_object_get(summary, "batch15"), "count")),
        MANY % IMAGES);
}

/* ---- rules in the model ---------------------------------------------------------------------- */

static void metric_take(struct swi_model *model, const char *name, bool minimum, bool maximum,
                        bool overwrite)
{
    struct swi_record_message record = {0};
    struct swi_metric_message metric = {0};
    struct swi_metric_summary_message summary = {0};
    struct swi_metric_control_message control = {0};
    metric.name = (char *)(uintptr_t)name;
    summary.min = minimum;
    summary.max = maximum;
    control.overwrite = overwrite;
    metric.summary = &summary;
    metric.control = &control;
    record.what = SWI_RECORD_METRIC;
    record.metric = &metric;
    swi_model_take(model, &record);
}

/* As the SDK does with define_metric(). */
START_TEST(a_later_rule_adds_to_the_one_before_unless_it_overwrites_it)
{
    struct swi_model model;
    struct swi_text json = {0};
    ck_assert(swi_model_init(&model));
    metric_take(&model, "twice", true, false, false);
    metric_take(&model, "twice", false, true, false);
    metric_take(&model, "over", true, false, false);
    metric_take(&model, "over", false, true, true);
    swi_model_config(&model, &json);
    ck_assert_ptr_nonnull(strstr(json.data, "{\"1\":\"twice\",\"6\":[],\"7\":[1,2]}"));
    ck_assert_ptr_nonnull(strstr(json.data, "{\"1\":\"over\",\"6\":[],\"7\":[2]}"));
    swi_text_free(&json);
    swi_model_fini(&model);
}
END_TEST

/* The list is in the order of the SDK's: patterns are last, and a step metric that nobody defined
 * is behind the metric that has it. */
START_TEST(patterns_are_the_last_of_the_metrics)
{
    struct swi_model model;
    struct swi_text json = {0};
    struct swi_metric_options_message options = {
        .step_sync = true, .hidden = true, .defined = true};
    struct swi_metric_message metric[2] = {
        {.glob_name = "valid/*", .step_metric = "epoch", .options = &options},
        {.name = "acc", .step_metric = "time", .options = &options}};
    ck_assert(swi_model_init(&model));
    for (size_t i = 0; i < 2; i++) {
        struct swi_record_message record = {0};
        record.what = SWI_RECORD_METRIC;
        record.metric = &metric[i];
        swi_model_take(&model, &record);
    }
    swi_model_config(&model, &json);
    ck_assert_msg(strstr(json.data, "\"m\":[{\"1\":\"acc\",\"6\":[1,3,2],\"7\":[],\"5\":2},"
                                    "{\"1\":\"time\",\"6\":[],\"7\":[]},"
                                    "{\"2\":\"valid/*\",\"6\":[1,2],\"7\":[],\"5\":4},"
                                    "{\"1\":\"epoch\",\"6\":[],\"7\":[]}]") != NULL,
                  "%s", json.data);
    swi_text_free(&json);
    swi_model_fini(&model);
}
END_TEST

SUITE(wandb_values_sent)
{
    tcase_add_test(tc, patterns_are_the_last_of_the_metrics);
    tcase_add_test(tc, values_arrive_while_the_program_runs);
    tcase_add_test(tc, values_arrive_by_a_later_upload);
    tcase_add_test(tc, a_thousand_images_of_one_step_arrive);
    tcase_add_test(tc, a_later_rule_adds_to_the_one_before_unless_it_overwrites_it);
}
