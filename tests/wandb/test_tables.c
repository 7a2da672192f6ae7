/* SPDX-License-Identifier: MIT */
/* test_tables.c - the tables and the chart of a report, as they stand in the run's file and beside
 * it. */
#include "sinks/wandb/values/artifact.h"
#include "sinks/wandb/file/reader.h"
#include "tests/support/host.h"
#include "tests/support/suite.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <sys/stat.h>

START_TEST(md5_of_known_texts)
{
    static const struct {
        const char *text, *hex;
    } cases[] = {
        {"", "d41d8cd98f00b204e9800998ecf8427e"},
        {"abc", "900150983cd24fb0d6963f7d28e17f72"},
        {"12345678901234567890123456789012345678901234567890123456789012345678901234567890",
         "57edf4a22be3c955ac49da2e2107b67a"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        unsigned char digest[SWI_MD5_SIZE];
        char hex[2 * SWI_MD5_SIZE + 1];
        swi_md5(cases[i].text, strlen(cases[i].text), digest);
        for (size_t k = 0; k < sizeof digest; k++)
            snprintf(hex + 2 * k, 3, "%02x", digest[k]);
        ck_assert_str_eq(hex, cases[i].hex);
    }
}
END_TEST

START_TEST(an_artifact_is_named_and_hashed_as_the_sdk_does)
{
    struct swi_wandb_artifact artifact = {.run_id = "a b+c-1"};
    ck_assert(swi_wandb_artifact_table(&artifact, "t", "t.table.json", "abc", 3));
    ck_assert_str_eq(artifact.name, "run-abc-1-t-zDkJbA");
    ck_assert_str_eq(artifact.file, "t.table.json");
    ck_assert_str_eq(artifact.md5, "kAFQmDzST7DWlj99KOF/cg==");
    ck_assert_str_eq(artifact.digest, "fe4fcce1410c798e5c59e5781422b026");
    ck_assert_uint_eq(strlen(artifact.id), SWI_ARTIFACT_ID);
    ck_assert_str_ne(artifact.id, artifact.sequence);
}
END_TEST

/* ---- a run with a report --------------------------------------------------------------------- */

struct seen {
    int artifacts, tables, charts;
    char value[2048]; /* of the chart's table in its row */
};

static void seen_row(struct seen *seen, const struct swi_history_message *row)
{
    for (size_t i = 0; i < row->n_item; i++)
        if (strcmp(row->item[i]->nested_key[0], "step_time_table") == 0)
            snprintf(seen->value, sizeof seen->value, "%s", row->item[i]->value_json);
}

static void seen_artifact(struct seen *seen, const struct swi_artifact_message *artifact)
{
    struct stat status;
    const struct swi_manifest_entry_message *entry = artifact->manifest->contents[0];
    ck_assert_str_eq(artifact->type, "run_table");
    ck_assert_msg(stat(entry->local_path, &status) == 0, "%s", entry->local_path);
    ck_assert_int_eq(status.st_size, entry->size);
    seen->artifacts++;
}

static void seen_config(struct seen *seen, const struct swi_items_message *config)
{
    for (size_t i = 0; i < config->n_update; i++) {
        const struct swi_item_message *item = config->update[i];
        if (item->n_nested_key != 3)
            continue;
        ck_assert_str_eq(item->nested_key[1], "visualize");
        ck_assert_ptr_nonnull(strstr(item->value_json, "step_time_table"));
        seen->charts++;
    }
}

static struct seen read_run(void)
{
    struct swi_wandb_reader reader;
    const struct swi_record_message *record;
    struct sw_error err;
    struct seen seen = {0};
    int rc = swi_wandb_reader_open(&reader, "wandb/latest-run/run-abc.wandb", &err);
    while (rc >= 0 && (rc = swi_wandb_reader_next(&reader, &record, &err)) == 1) {
        if (record->what == SWI_RECORD_HISTORY)
            seen_row(&seen, record->history);
        if (record->what == SWI_RECORD_ARTIFACT)
            seen_artifact(&seen, record->artifact);
        if (record->what == SWI_RECORD_CONFIG)
            seen_config(&seen, record->config);
        if (record->what == SWI_RECORD_FILES)
            seen.tables += strstr(record->files->files[0]->path, ".table.json") != NULL;
    }
    ck_assert_msg(rc == 0, "%s", sw_error_text(&err));
    swi_wandb_reader_close(&reader);
    return seen;
}

static void forget(void)
{
    setenv("WANDB_MODE", "offline", 1);
    unsetenv("WANDB_DIR");
    unsetenv("RANK");
    setenv("WANDB_CONFIG_DIR", "/nonexistent", 1);
}

START_TEST(a_report_is_three_tables_and_a_chart)
{
    forget();
    struct host *host = host_open("wandb", "run_id: abc\n");
    host_fit(host, 20);
    host_fit(host, 20);
    host_close(host);
    struct seen seen = read_run();
    ck_assert_int_eq(seen.tables, 6);
    ck_assert_int_eq(seen.artifacts, 6);
    ck_assert_int_eq(seen.charts, 1);
}
END_TEST

/* 10 ms of draw of which the loader takes 7, and much longer at first; 90 ms of batch of which 60
 * are forward. */
START_TEST(the_bars_of_the_chart_add_up_to_the_step)
{
    forget();
    struct host *host = host_open_with("wandb", "run_id: abc\n", "mode: simple\n");
    struct sw_profiler *sw = host_profiler(host);
    sw_begin(sw, SW_FIT);
    sw_begin(sw, SW_EPOCH);
    sw_begin(sw, SW_TRAIN);
    for (int i = 0; i < 5; i++) {
        sw_begin(sw, SW_DRAW);
        host_wait(host, 3000000);
        sw_begin(sw, sw_action("load"));
        host_wait(host, i ? 7000000 : 500000000);
        sw_end(sw, sw_action("load"));
        sw_next(sw, SW_BATCH);
        host_wait(host, 30000000);
        sw_begin(sw, SW_FORWARD);
        host_wait(host, 60000000);
        sw_end(sw, SW_FORWARD);
        sw_end_batch(sw, 64);
    }
    sw_end(sw, SW_TRAIN);
    sw_end(sw, SW_EPOCH);
    sw_end(sw, SW_FIT);
    host_close(host);
    json_t *value = json_loads(read_run().value, 0, NULL);
    char path[512];
    snprintf(path, sizeof path, "wandb/latest-run/files/%s",
             json_string_value(json_object_get(value, "path")));
    ck_assert_str_eq(host_file(path),
                     "{\"columns\":[\"action\",\"ms\"],\"data\":[[\"draw\",3.0],"
                     "[\"rest of batch\",30.0],[\"forward\",60.0],[\"load\",7.0]]}");
    json_decref(value);
}
END_TEST

SUITE(wandb_tables)
{
    tcase_add_test(tc, md5_of_known_texts);
    tcase_add_test(tc, an_artifact_is_named_and_hashed_as_the_sdk_does);
    tcase_add_test(tc, a_report_is_three_tables_and_a_chart);
    tcase_add_test(tc, the_bars_of_the_chart_add_up_to_the_step);
}
