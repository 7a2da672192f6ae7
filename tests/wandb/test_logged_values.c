/* SPDX-License-Identifier: MIT */
/* test_logged_values.c - texts, tables, histograms, images, files, rules, the summary and lines: in
 * the run's file and its folder, in the forms of the SDK. */
#include "sinks/wandb/file/reader.h"
#include "tests/support/host.h"
#include "tests/support/suite.h"
#include "tests/wandb/online.h"

#include <jansson.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

/* What the run's file has. */
static struct seen {
    json_t *row[8]; /* values as their texts */
    size_t rows;
    json_t *summary, *files, *metrics;
    char artifact[256], entry[256], aliases[64], digest[64];
    char output[256];
} seen;

static void forget(void)
{
    online_environment(NULL);
    setenv("WANDB_MODE", "offline", 1);
    unsetenv("WANDB_API_KEY");
}

static void clean(void)
{
    for (size_t i = 0; i < seen.rows; i++)
        json_decref(seen.row[i]);
    json_decref(seen.summary);
    json_decref(seen.files);
    json_decref(seen.metrics);
    seen = (struct seen){.rows = 0};
}

static struct host *open_run_with(const char *profiler)
{
    forget();
    return host_open_with("wandb", "run_id: richrun1\nproject: rich\nsystem: false\n", profiler);
}

static struct host *open_run(void)
{
    return open_run_with("");
}

static void item_take(json_t *to, const struct swi_item_message *item)
{
    json_object_set_new(to, swi_wandb_item_name(item), json_string(item->value_json));
}

static void artifact_take(const struct swi_artifact_message *artifact)
{
    snprintf(seen.artifact, sizeof seen.artifact, "%s %s %s", artifact->type, artifact->name,
             artifact->description);
    snprintf(seen.entry, sizeof seen.entry, "%s", artifact->manifest->contents[0]->path);
    snprintf(seen.digest, sizeof seen.digest, "%s", artifact->digest);
    seen.aliases[0] = '\0';
    for (size_t i = 0; i < artifact->n_aliases; i++)
        snprintf(seen.aliases + strlen(seen.aliases), sizeof seen.aliases - strlen(seen.aliases),
                 " %s", artifact->aliases[i]);
    ck_assert_int_eq(access(artifact->manifest->contents[0]->local_path, R_OK), 0);
}

static void metric_take(const struct swi_metric_message *metric)
{
    const struct swi_metric_summary_message *kept = metric->summary;
    json_array_append_new(
        seen.metrics,
        json_sprintf("%s%s axis %s%s%s%s%s%s goal %d", metric->name, metric->glob_name,
                     metric->step_metric, metric->options->hidden ? " hidden" : "",
                     kept && kept->min ? " min" : "", kept && kept->max ? " max" : "",
                     kept && kept->last ? " last" : "", kept && kept->none ? " none" : "",
                     metric->goal));
}

static void record_take(const struct swi_record_message *record)
{
    if (record->what == SWI_RECORD_HISTORY && seen.rows < 8) {
        json_t *row = seen.row[seen.rows++] = json_object();
        for (size_t i = 0; i < record->history->n_item; i++)
            item_take(row, record->history->item[i]);
    }
    if (record->what == SWI_RECORD_SUMMARY) {
        for (size_t i = 0; i < record->summary->n_update; i++)
            item_take(seen.summary, record->summary->update[i]);
        for (size_t i = 0; i < record->summary->n_remove; i++)
            json_object_del(seen.summary, swi_wandb_item_name(record->summary->remove[i]));
    }
    if (record->what == SWI_RECORD_FILES)
        json_array_append_new(seen.files, json_string(record->files->files[0]->path));
    if (record->what == SWI_RECORD_ARTIFACT && !*seen.artifact)
        artifact_take(record->artifact);
    if (record->what == SWI_RECORD_METRIC)
        metric_take(record->metric);
    if (record->what == SWI_RECORD_OUTPUT_RAW)
        snprintf(seen.output + strlen(seen.output), sizeof seen.output - strlen(seen.output),
                 "%d %s", record->output_raw->output_type, record->output_raw->line);
}

static void read_run(void)
{
    static struct swi_wandb_reader reader;
    const struct swi_record_message *record;
    struct sw_error err;
    seen.summary = json_object();
    seen.files = json_array();
    seen.metrics = json_array();
    int rc = swi_wandb_reader_open(&reader, "wandb/latest-run/run-richrun1.wandb", &err);
    while (rc >= 0 && (rc = swi_wandb_reader_next(&reader, &record, &err)) == 1)
        record_take(record);
    ck_assert_msg(rc == 0, "%s", sw_error_text(&err));
    swi_wandb_reader_close(&reader);
}

static const char *in_row(size_t row, const char *name)
{
    const char *text = json_string_value(json_object_get(seen.row[row], name));
    return text ? text : "";
}

static const char *in_summary(const char *name)
{
    const char *text = json_string_value(json_object_get(seen.summary, name));
    return text ? text : "";
}

static const char *in_file(const char *below_files)
{
    char path[512];
    snprintf(path, sizeof path, "wandb/latest-run/files/%s", below_files);
    return host_file(path);
}

static void file_write(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    ck_assert_msg(file != NULL && fputs(text, file) >= 0, "%s", path);
    fclose(file);
}

/* Values that are missing are counted as lost. */
static void close_with_losses(struct host *host)
{
    struct sw_error err = {0};
    ck_assert_int_lt(host_close_rc(host, &err), 0);
    ck_assert_msg(strstr(sw_error_text(&err), " lost") != NULL, "%s", sw_error_text(&err));
    sw_error_free(&err);
}

static bool is_sent(const char *path)
{
    size_t i;
    json_t *one;
    json_array_foreach(seen.files, i, one) if (strcmp(json_string_value(one), path) == 0)
    {
        return true;
    }
    return false;
}

static size_t media_sent(void)
{
    size_t i, count = 0;
    json_t *one;
    json_array_foreach(seen.files, i, one) count +=
        strncmp(json_string_value(one), "media/images", 12) == 0;
    return count;
}

/* ---- images ---------------------------------------------------------------------------------- */

static const uint8_t pixels[] = {1, 2, 3, 4, 5, 6};

START_TEST(an_image_is_a_file_and_its_description)
{
    struct host *host = open_run();
    sw_log_image(host_profiler(host), "img/rgb", SW_U8, pixels, 2, 1, 3, "an \"rgb\"");
    host_close(host);
    read_run();
    json_auto_t *value = json_loads(in_row(0, "img/rgb"), 0, NULL);
    const char *path, *sha, *format, *caption, *type;
    int width, height, size;
    struct stat status;
    ck_assert_int_eq(json_unpack(value, "{s:s, s:s, s:s, s:i, s:i, s:i, s:s, s:s !}", "_type",
                                 &type, "path", &path, "sha256", &sha, "size", &size, "width",
                                 &width, "height", &height, "format", &format, "caption", &caption),
                     0);
    ck_assert_str_eq(type, "image-file");
    ck_assert_str_eq(caption, "an \"rgb\"");
    ck_assert_str_eq(format, "png");
    ck_assert(width == 2 && height == 1 && strlen(sha) == 64);
    char expected[128], local[256];
    snprintf(expected, sizeof expected, "media/images/img/rgb_0_%.20s.png", sha);
    ck_assert_str_eq(path, expected);
    ck_assert(is_sent(path));
    snprintf(local, sizeof local, "wandb/latest-run/files/%s", path);
    ck_assert_int_eq(stat(local, &status), 0);
    ck_assert_int_eq(status.st_size, size);
    ck_assert_str_eq(in_summary("img/rgb"), in_row(0, "img/rgb"));
}
END_TEST

START_TEST(several_images_are_a_list_of_files)
{
    struct host *host = open_run();
    struct sw_image image[] = {{.size = sizeof *image,
                                .data = pixels,
                                .layout = SW_HWC,
                                .type = SW_U8,
                                .width = 2,
                                .height = 1,
                                .channels = 3,
                                .caption = "a"},
                               {.size = sizeof *image,
                                .data = pixels,
                                .layout = SW_HWC,
                                .type = SW_U8,
                                .width = 6,
                                .height = 1,
                                .channels = 1}};
    sw_log_images(host_profiler(host), "batch", image, 2);
    sw_log_images(host_profiler(host), "none", image, 0);
    host_close(host);
    read_run();
    json_auto_t *value = json_loads(in_row(0, "batch"), 0, NULL);
    int count, width, height;
    json_t *names, *captions;
    const char *type, *format;
    ck_assert_int_eq(json_unpack(value, "{s:s, s:i, s:i, s:s, s:i, s:o, s:o !}", "_type", &type,
                                 "width", &width, "height", &height, "format", &format, "count",
                                 &count, "filenames", &names, "captions", &captions),
                     0);
    ck_assert_str_eq(type, "images/separated");
    ck_assert(count == 2 && width == 2 && height == 1 && json_array_size(names) == 2);
    ck_assert(json_is_null(json_array_get(captions, 1)));
    ck_assert(is_sent(json_string_value(json_array_get(names, 1))));
    ck_assert_str_eq(in_row(0, "none"), "{\"_type\":\"images/separated\",\"width\":0,\"height\":0,"
                                        "\"format\":\"png\",\"count\":0,\"filenames\":[]}");
}
END_TEST

START_TEST(a_name_makes_no_path_outside_of_the_folder)
{
    struct host *host = open_run();
    struct sw_profiler *sw = host_profiler(host);
    sw_log_image(sw, "up/../side", SW_U8, pixels, 1, 1, 1, NULL);
    sw_log_image(sw, "/a\n\"b", SW_U8, pixels, 1, 1, 1, NULL);
    host_close(host);
    read_run();
    ck_assert_ptr_nonnull(strstr(in_row(0, "up/../side"), "\"media/images/up/__/side_0_"));
    size_t i;
    json_t *one;
    json_array_foreach(seen.files, i, one)
    {
        char path[512];
        snprintf(path, sizeof path, "wandb/latest-run/files/%s", json_string_value(one));
        ck_assert_ptr_null(strstr(path, ".."));
        ck_assert_msg(access(path, R_OK) == 0, "%s", path);
    }
}
END_TEST

/* A file where the folder of the images would be. */
START_TEST(a_value_whose_file_cannot_be_written_is_missing_in_its_row)
{
    struct host *host = open_run();
    struct sw_profiler *sw = host_profiler(host);
    sw_log(sw, "loss", 1);
    ck_assert_int_eq(sw_flush(sw, INT64_C(10000000000)), 0);
    file_write("wandb/latest-run/files/media", "");
    sw_log_image(sw, "a", SW_U8, pixels, 1, 1, 1, NULL);
    sw_log_image(sw, "b", SW_U8, pixels, 1, 1, 1, NULL);
    close_with_losses(host);
    read_run();
    ck_assert_str_eq(in_row(0, "loss"), "1.0");
    ck_assert_str_eq(in_row(0, "a"), "");
    ck_assert_uint_eq(media_sent(), 0);
    const char *said = strstr(host_messages(host), "a is not in the run: ");
    ck_assert_msg(said != NULL, "%s", host_messages(host));
    ck_assert_msg(!strstr(said + 5, " is not in the run: "), "%s", host_messages(host));
}
END_TEST

static void long_names_log(struct sw_profiler *sw, const char *name, const char *text)
{
    const int32_t id[] = {1};
    const struct sw_table_column column = {"id", SW_I32, id};
    char other[3][300];
    for (int i = 0; i < 3; i++)
        snprintf(other[i], sizeof other[i], "%.254s%d", name, i);
    ck_assert_int_eq(sw_log_image(sw, other[0], SW_U8, pixels, 1, 1, 1, NULL), 0);
    ck_assert_int_eq(sw_log_table(sw, other[1], &column, 1, 1), 0);
    ck_assert_int_eq(sw_log_text(sw, other[2], text), 0);
}

/* A file system has 255 bytes for a name, and a character that is cut would not be UTF-8. */
START_TEST(values_of_long_names_have_files)
{
    char name[256] = "", *text = calloc(1, 70000);
    size_t i, media = 0;
    json_t *one;
    for (int j = 0; j < 127; j++)
        strcat(name, "\xc3\xa4");
    memset(text, 'x', 69999);
    struct host *host = open_run();
    long_names_log(host_profiler(host), name, text);
    sw_log_image(host_profiler(host), "*", SW_U8, pixels, 1, 1, 1, NULL);
    host_close(host);
    free(text);
    read_run();
    json_array_foreach(seen.files, i, one)
    {
        char path[1024];
        const char *file = strrchr(json_string_value(one), '/');
        snprintf(path, sizeof path, "wandb/latest-run/files/%s", json_string_value(one));
        ck_assert_msg(access(path, R_OK) == 0, "%s", path);
        ck_assert_ptr_null(strchr(path, '*'));
        ck_assert_uint_le(file ? strlen(file + 1) : 0, 200);
        media += strncmp(json_string_value(one), "media/", 6) == 0;
    }
    ck_assert_uint_eq(media, 4);
}
END_TEST

/* As on a disk that becomes full while the file is written. */
START_TEST(an_image_that_does_not_fit_leaves_no_part_behind)
{
    static uint8_t noise[200 * 200 * 3];
    const struct rlimit small = {20000, RLIM_INFINITY};
    unsigned seed = 1;
    for (size_t i = 0; i < sizeof noise; i++)
        noise[i] = (uint8_t)((seed = seed * 1103515245u + 12345u) >> 16);
    struct host *host = open_run();
    struct sw_profiler *sw = host_profiler(host);
    sw_log(sw, "loss", 1);
    signal(SIGXFSZ, SIG_IGN);
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &small), 0);
    sw_log_image(sw, "noise", SW_U8, noise, 200, 200, 3, NULL);
    sw_log_image(sw, "small", SW_U8, noise, 2, 2, 3, NULL);
    close_with_losses(host);
    read_run();
    ck_assert_str_eq(in_row(0, "loss"), "1.0");
    ck_assert_str_eq(in_row(0, "noise"), "");
    ck_assert_str_ne(in_row(0, "small"), "");
    ck_assert_uint_eq(media_sent(), 1);
    ck_assert_int_eq(system("test $(ls -A wandb/latest-run/files/media/images | wc -l) = 1"), 0);
}
END_TEST

/* ---- histograms, tables, texts --------------------------------------------------------------- */

START_TEST(a_histogram_is_in_the_row)
{
    struct host *host = open_run();
    struct sw_profiler *sw = host_profiler(host);
    const struct sw_bin bins[] = {{0, 0.25, 250}, {0.25, 0.5, 250}, {0.5, 1, 500}};
    const float two[] = {2, 2, NAN, 2};
    const double large[] = {1e300};
    sw_log_bins(sw, "bins", bins, 3);
    sw_log_vector(sw, "const", SW_F32, two, 4, SW_HISTOGRAM);
    sw_log_vector(sw, "large", SW_F64, large, 1, SW_HISTOGRAM);
    sw_log_vector(sw, "empty", SW_F32, NULL, 0, SW_HISTOGRAM);
    host_close(host);
    read_run();
    ck_assert_str_eq(in_row(0, "bins"), "{\"_type\":\"histogram\",\"values\":[250,250,500],"
                                        "\"bins\":[0.0,0.25,0.5,1.0]}");
    ck_assert_str_eq(in_row(0, "const"),
                     "{\"_type\":\"histogram\",\"values\":[3],\"bins\":[1.5,2.5]}");
    json_auto_t *value = json_loads(in_row(0, "large"), 0, NULL);
    json_t *edges = json_object_get(value, "bins");
    ck_assert_double_lt(json_number_value(json_array_get(edges, 0)), 1e300);
    ck_assert_double_gt(json_number_value(json_array_get(edges, 1)), 1e300);
    json_auto_t *empty = json_loads(in_row(0, "empty"), 0, NULL);
    ck_assert_uint_eq(json_array_size(json_object_get(empty, "values")), 64);
    ck_assert_uint_eq(json_array_size(json_object_get(empty, "bins")), 65);
}
END_TEST

/* Every second bin is missing, so that there are 1,023 of them. */
START_TEST(a_histogram_of_more_than_512_bins_has_neighbours_joined)
{
    static struct sw_bin bin[512];
    struct host *host = open_run();
    for (int i = 0; i < 512; i++)
        bin[i] = (struct sw_bin){2 * i, 2 * i + 1, 1};
    ck_assert_int_eq(sw_log_bins(host_profiler(host), "gaps", bin, 512), 0);
    host_close(host);
    read_run();
    json_auto_t *value = json_loads(in_row(0, "gaps"), 0, NULL);
    ck_assert_uint_le(json_array_size(json_object_get(value, "values")), 512);
    ck_assert_uint_eq(json_array_size(json_object_get(value, "bins")),
                      json_array_size(json_object_get(value, "values")) + 1);
    double sum = 0;
    size_t i;
    json_t *one;
    json_array_foreach(json_object_get(value, "values"), i, one) sum += json_number_value(one);
    ck_assert_double_eq(sum, 512);
}
END_TEST

/* The name, the hashes and the content are those of the SDK for the same table. */
START_TEST(a_table_is_the_one_that_the_sdk_writes)
{
    struct host *host = open_run();
    struct sw_profiler *sw = host_profiler(host);
    const char *k[] = {"a", "b"};
    const int64_t v[] = {1, 2};
    const struct sw_table_column column[] = {{"k", SW_TEXT, k}, {"v", SW_I64, v}};
    sw_log_table(sw, "tab/plain", column, 2, 2);
    host_close(host);
    read_run();
    static const char path[] = "media/table/tab/plain_0_202745cf274495df644b.table.json";
    ck_assert_str_eq(in_file(path), "{\"columns\":[\"k\",\"v\"],\"data\":[[\"a\",1],[\"b\",2]]}");
    ck_assert(is_sent(path));
    ck_assert_str_eq(seen.artifact, "run_table run-richrun1-tabplain-FhLpSQ ");
    ck_assert_str_eq(seen.entry, "tab/plain.table.json");
    static const char begin[] =
        "{\"_type\":\"table-file\",\"path\":\"media/table/tab/plain_0_202745cf274495df644b.table."
        "json\",\"sha256\":\"202745cf274495df644b57d8e66e9f2805f7ad8118a76f7974e0d0f29e87728e\","
        "\"size\":46,\"ncols\":2,\"nrows\":2,\"log_mode\":\"IMMUTABLE\",\"artifact_path\":"
        "\"wandb-client-artifact://";
    ck_assert_msg(strncmp(in_row(0, "tab/plain"), begin, sizeof begin - 1) == 0, "%s",
                  in_row(0, "tab/plain"));
    ck_assert_ptr_nonnull(strstr(in_row(0, "tab/plain"), ":latest/tab/plain.table.json\"}"));
}
END_TEST

START_TEST(a_long_text_is_cut_in_its_row_and_whole_in_a_file)
{
    enum { SIZE = 70000 };
    static char text[SIZE + 1];
    struct host *host = open_run();
    for (int i = 0; i < SIZE; i += 2)
        memcpy(text + i, "ä", 2);
    sw_log_text(host_profiler(host), "note", "text\nsecond \"line\"");
    sw_log_text(host_profiler(host), "long", text);
    host_close(host);
    read_run();
    ck_assert_str_eq(in_row(0, "note"), "\"text\\u000asecond \\\"line\\\"\"");
    json_auto_t *value = json_loads(in_row(0, "long"), JSON_DECODE_ANY, NULL);
    size_t size = strlen(json_string_value(value));
    ck_assert_uint_le(size, 65536);
    ck_assert_uint_gt(size, 65530);
    ck_assert_str_eq(json_string_value(value) + size - 5, "ä…");
    bool found = false;
    size_t i;
    json_t *one;
    json_array_foreach(seen.files, i, one)
    {
        const char *path = json_string_value(one);
        if (strncmp(path, "media/text/long_0_", 18) == 0)
            found = strcmp(in_file(path), text) == 0;
    }
    ck_assert(found);
}
END_TEST

/* 165 texts of 64 KiB. */
START_TEST(a_row_that_is_too_long_loses_its_longest_values)
{
    enum { TEXTS = 165, SIZE = 65500 };
    static char text[SIZE + 1];
    char name[32];
    forget();
    struct host *host = host_open_with("wandb", "run_id: richrun1\nproject: rich\nsystem: false\n",
                                       "close_timeout: 100s\n");
    sw_log(host_profiler(host), "loss", 1);
    for (int i = 0; i < TEXTS; i++) {
        memset(text, 'x', SIZE - (size_t)i);
        text[SIZE - i] = '\0';
        snprintf(name, sizeof name, "text%d", i);
        ck_assert_int_eq(sw_log_text(host_profiler(host), name, text), 0);
    }
    close_with_losses(host);
    read_run();
    ck_assert_str_eq(in_row(0, "text0"), "");
    ck_assert_uint_gt(strlen(in_row(0, "text164")), 65000);
    ck_assert_str_eq(in_row(0, "loss"), "1.0");
    ck_assert_ptr_nonnull(strstr(host_messages(host), "text0 is not in it"));
}
END_TEST

/* ---- files ----------------------------------------------------------------------------------- */

START_TEST(a_file_is_copied_into_the_run_or_an_artifact)
{
    struct host *host = open_run();
    struct sw_profiler *sw = host_profiler(host);
    const char *aliases[] = {"best", NULL};
    const struct sw_file about = {.size = sizeof about,
                                  .name = "my weights",
                                  .type = "model",
                                  .description = "after epoch 1",
                                  .aliases = aliases};
    file_write("model.bin", "weights");
    file_write("config.yaml", "lr: 1\n");
    ck_assert_int_eq(sw_log_file(sw, "model.bin", NULL), 0);
    ck_assert_int_eq(sw_log_file(sw, "config.yaml", NULL), 0);
    ck_assert_int_eq(sw_log_file(sw, "model.bin", &about), 0);
    host_close(host);
    read_run();
    ck_assert(is_sent("model.bin"));
    ck_assert_str_eq(in_file("model.bin"), "weights");
    ck_assert(is_sent("program/config.yaml"));
    ck_assert_str_eq(in_file("program/config.yaml"), "lr: 1\n");
    ck_assert_str_eq(seen.artifact, "model myweights-5VtcSA after epoch 1");
    ck_assert_str_eq(seen.entry, "model.bin");
    ck_assert_str_eq(seen.aliases, " latest best");
    ck_assert_uint_eq(strlen(seen.digest), 32);
}
END_TEST

START_TEST(a_file_that_is_logged_again_replaces_the_first)
{
    struct host *host = open_run();
    struct sw_profiler *sw = host_profiler(host);
    file_write("model.bin", "one");
    ck_assert_int_eq(sw_log_file(sw, "model.bin", NULL), 0);
    ck_assert_int_eq(sw_flush(sw, INT64_C(10000000000)), 0);
    file_write("model.bin", "two and more");
    ck_assert_int_eq(sw_log_file(sw, "model.bin", NULL), 0);
    host_close(host);
    ck_assert_str_eq(in_file("model.bin"), "two and more");
}
END_TEST

/* ---- rules and the summary ------------------------------------------------------------------- */

static struct sw_rule rule_of(unsigned keep, const char *axis)
{
    return (struct sw_rule){.size = sizeof(struct sw_rule), .keep = keep, .axis = axis};
}

START_TEST(the_summary_has_what_the_rules_keep)
{
    static const double loss[] = {3, NAN, 1, INFINITY, 2};
    struct host *host = open_run();
    struct sw_profiler *sw = host_profiler(host);
    struct sw_rule acc = rule_of(SW_KEEP_MAX | SW_KEEP_LAST, NULL),
                   hidden = rule_of(SW_KEEP_NONE, NULL);
    struct sw_rule kept = rule_of(SW_KEEP_MIN | SW_KEEP_MEAN | SW_KEEP_FIRST, "t");
    struct sw_rule all = rule_of(SW_KEEP_MAX, NULL);
    acc.goal = SW_GOAL_MAX;
    hidden.hidden = true;
    sw_define(sw, "acc", &acc);
    sw_define(sw, "loss", &kept);
    sw_define(sw, "quiet", &hidden);
    for (int i = 0; i < 5; i++) {
        host_metric(host, i, "loss", loss[i]);
        host_metric(host, i, "acc", i == 1 ? 0.6 : 0.4);
        host_metric(host, i, "quiet", 1);
        host_metric(host, i, "late/a", i == 2 ? 9 : i);
        host_metric(host, i, "gone", i);
    }
    sw_define(sw, "late/*", &all);
    sw_define(sw, "gone", &hidden);
    host_close(host);
    read_run();
    ck_assert_str_eq(in_summary("acc"), "{\"max\":0.6,\"last\":0.4}");
    ck_assert_str_eq(in_summary("loss"), "{\"min\":1.0,\"mean\":2.0,\"first\":3.0}");
    ck_assert_str_eq(in_summary("late/a"), "{\"max\":9.0}");
    ck_assert_str_eq(in_summary("quiet"), "");
    ck_assert_str_eq(in_summary("gone"), "");
    ck_assert_ptr_nonnull(
        strstr(json_string_value(json_array_get(seen.metrics, 2)), "acc axis  max last goal 2"));
    ck_assert_str_eq(json_string_value(json_array_get(seen.metrics, 3)), "loss axis t min goal 0");
    ck_assert_str_eq(json_string_value(json_array_get(seen.metrics, 4)),
                     "quiet axis  hidden none goal 0");
    ck_assert_str_eq(json_string_value(json_array_get(seen.metrics, 5)), "late/* axis  max goal 0");
}
END_TEST

START_TEST(what_the_program_puts_into_the_summary_counts_most)
{
    struct host *host = open_run();
    struct sw_profiler *sw = host_profiler(host);
    sw_summary(sw, "acc", 0.9);
    sw_summary(sw, "best", 1);
    sw_summary(sw, "best", 0.5);
    sw_summary_text(sw, "verdict", "a \"good\" one");
    host_metric(host, 0, "acc", 0.1);
    host_metric(host, 1, "acc", 0.2);
    host_close(host);
    read_run();
    ck_assert_str_eq(in_summary("acc"), "0.9");
    ck_assert_str_eq(in_summary("best"), "0.5");
    ck_assert_str_eq(in_summary("verdict"), "\"a \\\"good\\\" one\"");
    ck_assert_str_eq(in_row(1, "acc"), "0.2");
}
END_TEST

START_TEST(a_row_has_the_last_value_of_an_axis_that_it_lacks)
{
    struct host *host = open_run();
    sw_metric_axis(host_profiler(host), "test/*", "t");
    host_metric(host, 0, "t", 1.5);
    host_metric(host, 1, "test/a", 7);
    host_metric(host, 2, "other", 7);
    host_close(host);
    read_run();
    ck_assert_str_eq(in_row(1, "t"), "1.5");
    ck_assert_str_eq(in_row(2, "t"), "");
    ck_assert_ptr_nonnull(strstr(in_file("config.yaml"),
                                 "m: [{\"1\": \"epoch\", \"6\": [3], \"7\": []}, "
                                 "{\"2\": \"valid/*\", \"5\": 1, \"6\": [1], \"7\": []}, "
                                 "{\"2\": \"test/*\", \"5\": 4, \"6\": [1], \"7\": []}, "
                                 "{\"1\": \"t\", \"6\": [], \"7\": []}]"));
}
END_TEST

START_TEST(values_of_a_program_without_steps_have_rows_of_their_own)
{
    struct host *host = open_run();
    for (int i = 0; i < 3; i++) {
        sw_log(host_profiler(host), "residual", i);
        sw_log(host_profiler(host), "energy", 10 * i);
    }
    host_close(host);
    read_run();
    ck_assert_str_eq(in_row(0, "residual"), "0.0");
    ck_assert_str_eq(in_row(2, "residual"), "2.0");
    ck_assert_str_eq(in_row(2, "energy"), "20.0");
}
END_TEST

/* The service's steps can only increase. */
START_TEST(a_given_step_does_not_move_the_rows_of_training_steps)
{
    struct host *host = open_run();
    for (int i = 0; i < 3; i++) {
        host_metric(host, i, "loss", i);
        sw_log_at(host_profiler(host), "score", i, 1000 * i);
    }
    host_close(host);
    read_run();
    ck_assert_str_eq(in_row(1, "_step"), "1");
    ck_assert_str_eq(in_row(1, "score"), "1.0");
    ck_assert_str_eq(in_row(2, "_step"), "2");
    ck_assert_ptr_nonnull(strstr(host_messages(host), "sw_log_at"));
}
END_TEST

/* As values come from a GPU: when the next step is being measured. */
START_TEST(a_value_that_comes_a_step_late_has_the_row_of_its_step)
{
    struct host *host = open_run_with("rolling_average: 2\n");
    struct sw_profiler *sw = host_profiler(host);
    sw_begin(sw, SW_FIT);
    for (int i = 0; i < 8; i++) {
        sw_begin(sw, SW_DRAW);
        host_wait(host, 10);
        sw_next(sw, SW_BATCH);
        if (i > 0)
            sw_log_at(sw, "loss", i - 1 + 0.5, i - 1);
        host_wait(host, 10);
        sw_end_batch(sw, 1);
    }
    sw_log_at(sw, "loss", 7.5, 7);
    sw_end(sw, SW_FIT);
    host_close(host);
    read_run();
    for (int i = 0; i < 8; i++) {
        char step[8], loss[8];
        snprintf(step, sizeof step, "%d", i);
        snprintf(loss, sizeof loss, "%d.5", i);
        ck_assert_str_eq(in_row((size_t)i, "_step"), step);
        ck_assert_str_eq(in_row((size_t)i, "loss"), loss);
    }
    ck_assert_str_ne(in_row(5, "time_ms/step"), "");
    ck_assert_ptr_null(strstr(host_messages(host), "sw_log_at"));
}
END_TEST

/* ---- lines ----------------------------------------------------------------------------------- */

START_TEST(lines_of_the_program_are_lines_of_output)
{
    struct host *host = open_run();
    struct sw_profiler *sw = host_profiler(host);
    sw_log_line(sw, SW_NOTE, "first\nsecond");
    sw_log_line(sw, SW_ERROR, "a mistake");
    host_close(host);
    read_run();
    ck_assert_str_eq(seen.output, "1 first\n1 second\n0 a mistake\n");
    ck_assert_str_eq(in_file("output.log"), "first\nsecond\na mistake\n");
    ck_assert(is_sent("output.log"));
}
END_TEST

START_TEST(without_a_console_there_are_no_lines)
{
    forget();
    setenv("WANDB_CONSOLE", "off", 1);
    struct host *host = host_open("wandb", "run_id: richrun1\nsystem: false\n");
    sw_log_line(host_profiler(host), SW_NOTE, "first");
    host_close(host);
    unsetenv("WANDB_CONSOLE");
    read_run();
    ck_assert_str_eq(seen.output, "");
    ck_assert(!host_has("wandb/latest-run/files/output.log"));
}
END_TEST

SUITE(wandb_logged_values)
{
    tcase_add_checked_fixture(tc, NULL, clean);
    tcase_add_test(tc, an_image_is_a_file_and_its_description);
    tcase_add_test(tc, several_images_are_a_list_of_files);
    tcase_add_test(tc, a_name_makes_no_path_outside_of_the_folder);
    tcase_add_test(tc, a_value_whose_file_cannot_be_written_is_missing_in_its_row);
    tcase_add_test(tc, values_of_long_names_have_files);
    tcase_add_test(tc, an_image_that_does_not_fit_leaves_no_part_behind);
    tcase_add_test(tc, a_histogram_is_in_the_row);
    tcase_add_test(tc, a_histogram_of_more_than_512_bins_has_neighbours_joined);
    tcase_add_test(tc, a_table_is_the_one_that_the_sdk_writes);
    tcase_add_test(tc, a_long_text_is_cut_in_its_row_and_whole_in_a_file);
    tcase_add_test(tc, a_row_that_is_too_long_loses_its_longest_values);
    tcase_add_test(tc, a_file_is_copied_into_the_run_or_an_artifact);
    tcase_add_test(tc, a_file_that_is_logged_again_replaces_the_first);
    tcase_add_test(tc, the_summary_has_what_the_rules_keep);
    tcase_add_test(tc, what_the_program_puts_into_the_summary_counts_most);
    tcase_add_test(tc, a_row_has_the_last_value_of_an_axis_that_it_lacks);
    tcase_add_test(tc, values_of_a_program_without_steps_have_rows_of_their_own);
    tcase_add_test(tc, a_given_step_does_not_move_the_rows_of_training_steps);
    tcase_add_test(tc, a_value_that_comes_a_step_late_has_the_row_of_its_step);
    tcase_add_test(tc, lines_of_the_program_are_lines_of_output);
    tcase_add_test(tc, without_a_console_there_are_no_lines);
}
