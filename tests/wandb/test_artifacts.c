/* SPDX-License-Identifier: MIT */
/* test_artifacts.c - tables as artifacts: what the sink records, uploaded, is committed with the
 * same bytes, under the name that the row's value has. */
#include "sinks/wandb/file/run_records.h"
#include "tests/support/scratch.h"
#include "tests/support/suite.h"
#include "tests/wandb/online.h"

#include <stepwatch/wandb.h>

#include <glob.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char said[4096];
static struct sw_error err;

static void hear(void *arg, int level, const char *text)
{
    (void)arg;
    snprintf(said + strlen(said), sizeof said - strlen(said), "%d %s\n", level, text);
}

/* A run of one fit, with three tables. */
static void run_make(void)
{
    said[0] = '\0';
    struct host *host =
        host_open("wandb", "run_id: abc\nproject: demo\nsystem: false\nmode: offline\n");
    host_fit(host, 20);
    host_close(host);
}

static struct sw_wandb_result sync_run(bool again)
{
    struct sw_wandb_sync options = {.size = sizeof options, .say = hear, .again = again};
    struct sw_wandb_result result = {.size = sizeof result};
    int rc = sw_wandb_sync("wandb/latest-run", &options, &result, &err);
    ck_assert_msg(rc == 0, "%s\n%s", sw_error_text(&err), said);
    return result;
}

/* The value of a table in the rows that the service has. */
static json_t *table_value(json_t *state, const char *name)
{
    json_t *lines =
        json_object_get(json_object_get(service_run(state), "lines"), "wandb-history.jsonl");
    json_t *line;
    size_t i;
    json_array_foreach(lines, i, line)
    {
        json_t *row = json_loads(json_string_value(line), 0, NULL);
        json_t *value = json_incref(json_object_get(row, name));
        json_decref(row);
        if (value)
            return value;
    }
    ck_abort_msg("no row has %s", name);
    return NULL;
}

static json_t *artifact_of(json_t *state, const char *client)
{
    json_t *artifact;
    const char *id;
    json_object_foreach(json_object_get(state, "artifacts"), id, artifact)
    {
        json_t *input = json_object_get(artifact, "input");
        if (strcmp(json_string_value(json_object_get(input, "clientID")), client) == 0)
            return artifact;
    }
    return NULL;
}

static const char *text_at(json_t *json, const char *name)
{
    const char *text = json_string_value(json_object_get(json, name));
    return text ? text : "";
}

/* The artifact's file in the run's folder; its name contains the step. */
static const char *local_file(const char *table)
{
    static char path[256];
    char pattern[256];
    glob_t found;
    snprintf(pattern, sizeof pattern, "wandb/latest-run/artifacts/%s_*.table.json", table);
    ck_assert_int_eq(glob(pattern, 0, NULL, &found), 0);
    ck_assert_uint_eq(found.gl_pathc, 1);
    snprintf(path, sizeof path, "%s", found.gl_pathv[0]);
    globfree(&found);
    return path;
}

static const char *const tables[] = {"profile_report", "profile_results", "step_time_table"};

SERVICE_TEST(each_table_is_committed_under_the_name_that_its_row_has, "")
{
    run_make();
    struct sw_wandb_result result = sync_run(false);
    ck_assert_int_eq(result.files_failed, 0);
    json_auto_t *state = service_state(service);
    for (size_t i = 0; i < 3; i++) {
        char client[129] = "", file[64] = "";
        json_t *value = table_value(state, tables[i]);
        ck_assert_int_eq(sscanf(text_at(value, "artifact_path"),
                                "wandb-client-artifact://%128[a-z0-9]/%63s", client, file),
                         2);
        json_t *artifact = artifact_of(state, client);
        ck_assert_msg(artifact != NULL, "%s", client);
        ck_assert_str_eq(text_at(artifact, "state"), "COMMITTED");
        ck_assert_str_eq(text_at(artifact, "wrong"), "");
        ck_assert_str_eq(text_at(json_object_get(artifact, "input"), "artifactTypeName"),
                         "run_table");
        /* The same bytes as in the run's folder. */
        ck_assert_str_eq(text_at(json_object_get(artifact, "files"), file),
                         host_file(local_file(tables[i])));
        ck_assert_ptr_nonnull(strstr(text_at(artifact, "manifest"), "birthArtifactID"));
        json_decref(value);
    }
}

SERVICE_TEST(an_artifact_that_the_service_has_is_not_sent_again, "")
{
    run_make();
    sync_run(false);
    int files = service_count(service, "CreateArtifactFiles");
    ck_assert_int_eq(files, 3);
    ck_assert_int_eq(service_count(service, "CommitArtifact"), 3);
    sync_run(true);
    ck_assert_int_eq(service_count(service, "CreateArtifact"), 6);
    ck_assert_int_eq(service_count(service, "CommitArtifact"), 3);
}

/* A run's file that comes from elsewhere must not have files of this machine sent. */
SERVICE_TEST(a_file_that_is_not_in_the_folder_is_reported_and_the_rest_goes_on, "")
{
    run_make();
    const char *path = local_file("step_time_table");
    ck_assert_int_eq(unlink(path), 0);
    ck_assert_int_eq(symlink("/etc/passwd", path), 0);
    struct sw_wandb_result result = sync_run(false);
    ck_assert_int_eq(result.files_failed, 1);
    ck_assert_msg(strstr(said, "artifact run-abc-step_time_table was not uploaded: its file "
                               "step_time_table.table.json is not in the run's folder") != NULL,
                  "%s", said);
    ck_assert_int_eq(service_count(service, "CommitArtifact"), 2);
    ck_assert_int_eq(service_count(service, "CreateArtifact"), 2); /* none is left without an end */
    json_auto_t *state = service_state(service);
    ck_assert_str_eq(text_at(service_run(state), "state"), "finished");
}

SERVICE_TEST(a_file_with_other_bytes_than_were_hashed_is_not_sent, "")
{
    run_make();
    FILE *file = fopen(local_file("step_time_table"), "r+");
    ck_assert_int_eq(fputc('[', file), '[');
    fclose(file);
    ck_assert_int_eq(sync_run(false).files_failed, 1);
    ck_assert_int_eq(service_count(service, "CreateArtifact"), 2);
}

/* Where the SDK keeps what it has copied for an artifact. */
static const char *staging_make(void)
{
    char data[512];
    scratch_enter();
    snprintf(data, sizeof data, "%s", scratch_path("data"));
    setenv("WANDB_DATA_DIR", data, 1);
    ck_assert_int_eq(system("mkdir -p data/artifacts/staging"), 0);
    return scratch_path("data/artifacts/staging/tmp1");
}

/* A run's file as the SDK writes it, with one artifact whose file is there. */
static void staged_make(const char *local_path)
{
    struct swi_records records = {0};
    struct swi_wandb_artifact artifact = {.run_id = "abc",
                                          .project = "demo",
                                          .entity = "",
                                          .local_path = local_path,
                                          .type = "run_table"};
    const struct swi_run_message run = {.run_id = "abc", .project = "demo"};
    ck_assert(swi_wandb_artifact_table(&artifact, "table", "table.table.json", "0123456789", 10));
    ck_assert_int_eq(system("mkdir -p r/files"), 0);
    ck_assert_int_eq(swi_wandb_log_open(&records.log, "r/run-abc.wandb", &err), 0);
    swi_records_header(&records, "test 1.0");
    swi_records_run(&records, run, NULL, 1795255200, NULL);
    swi_records_artifact(&records, &artifact);
    swi_records_exit(&records, 0, 1);
    ck_assert_int_eq(swi_wandb_log_close(&records.log, &err), 0);
    swi_records_free(&records);
}

static void staged_sync(int64_t failed)
{
    struct sw_wandb_sync options = {.size = sizeof options, .say = hear};
    struct sw_wandb_result result = {.size = sizeof result};
    said[0] = '\0';
    int rc = sw_wandb_sync("r", &options, &result, &err);
    ck_assert_msg(rc == 0 && result.files_failed == failed, "%s\n%s", sw_error_text(&err), said);
}

SERVICE_TEST(a_file_that_the_sdk_has_staged_is_sent, "")
{
    const char *path = staging_make();
    scratch_write("data/artifacts/staging/tmp1", "0123456789", 10);
    staged_make(path);
    staged_sync(0);
    ck_assert_int_eq(service_count(service, "CommitArtifact"), 1);
    json_auto_t *state = service_state(service);
    json_t *artifact =
        json_object_iter_value(json_object_iter(json_object_get(state, "artifacts")));
    ck_assert_str_eq(text_at(json_object_get(artifact, "files"), "table.table.json"), "0123456789");
}

/* The path is the file's, which may come from anywhere. */
static const char *const elsewhere[] = {
    "mv data/artifacts/staging/tmp1 data/tmp1",
    "cd data/artifacts/staging && mv tmp1 .. && ln -s ../tmp1 .",
    "cd data/artifacts/staging && rm tmp1 && mkfifo tmp1"};

SERVICE_TEST(nothing_is_sent_from_elsewhere_nor_begun_for_it, "")
{
    const char *path = staging_make();
    scratch_write("data/artifacts/staging/tmp1", "0123456789", 10);
    ck_assert_int_eq(system(elsewhere[_i]), 0);
    staged_make(_i == 0 ? scratch_path("data/tmp1") : path);
    staged_sync(1);
    ck_assert_int_eq(service_count(service, "CreateArtifact"), 0);
    ck_assert_msg(strstr(said, "wandb sync can upload it"), "%s", said);
}

SERVICE_TEST(a_folder_that_was_moved_has_its_artifacts_too, "")
{
    run_make();
    ck_assert_int_eq(system("mv wandb elsewhere && mkdir wandb && "
                            "mv elsewhere/offline-run-* wandb/latest-run"),
                     0);
    ck_assert_int_eq(sync_run(false).files_failed, 0);
    ck_assert_int_eq(service_count(service, "CommitArtifact"), 3);
}

SERVICE_TEST(a_service_that_refuses_artifacts_gets_the_run_all_the_same, "")
{
    run_make();
    service_say(service, "fault 403 on=CreateArtifact");
    struct sw_wandb_result result = sync_run(false);
    ck_assert_msg(result.files_failed == 3, "%s", said);
    ck_assert_int_eq(result.rows_sent, result.rows);
    ck_assert_ptr_nonnull(strstr(said, "403"));
}

SUITE(wandb_artifacts)
{
    tcase_set_timeout(tc, 180);
    tcase_add_test(tc, each_table_is_committed_under_the_name_that_its_row_has);
    tcase_add_test(tc, an_artifact_that_the_service_has_is_not_sent_again);
    tcase_add_test(tc, a_file_that_is_not_in_the_folder_is_reported_and_the_rest_goes_on);
    tcase_add_test(tc, a_file_with_other_bytes_than_were_hashed_is_not_sent);
    tcase_add_test(tc, a_file_that_the_sdk_has_staged_is_sent);
    tcase_add_loop_test(tc, nothing_is_sent_from_elsewhere_nor_begun_for_it, 0,
                        sizeof elsewhere / sizeof *elsewhere);
    tcase_add_test(tc, a_folder_that_was_moved_has_its_artifacts_too);
    tcase_add_test(tc, a_service_that_refuses_artifacts_gets_the_run_all_the_same);
}
