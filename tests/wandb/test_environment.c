/* SPDX-License-Identifier: MIT */
/* test_environment.c - where a run runs, and the files that say so. */
#include "sinks/wandb/file/record_messages.h"
#include "sinks/wandb/run/machine.h"
#include "tests/support/host.h"
#include "tests/support/scratch.h"
#include "tests/support/suite.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define COMMIT "0123456789abcdef0123456789abcdef01234567"

static const char *top;

static void put(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    ck_assert_msg(file != NULL, "%s", path);
    fputs(text, file);
    fclose(file);
}

static void repository_make(void)
{
    top = scratch_enter();
    ck_assert_int_eq(mkdir(".git", 0700), 0);
    ck_assert_int_eq(mkdir("src", 0700), 0);
    ck_assert_int_eq(mkdir("src/deep", 0700), 0);
    put(".git/HEAD", "ref: refs/heads/main\n");
}

static struct swi_git found_in(const char *below)
{
    char folder[4200];
    struct swi_git git;
    snprintf(folder, sizeof folder, "%s%s", top, below);
    swi_git_find(&git, folder);
    return git;
}

/* ---- the repository -------------------------------------------------------------------------- */

START_TEST(a_commit_is_found_from_below)
{
    repository_make();
    ck_assert_int_eq(mkdir(".git/refs", 0700), 0);
    ck_assert_int_eq(mkdir(".git/refs/heads", 0700), 0);
    put(".git/refs/heads/main", COMMIT "\n");
    struct swi_git git = found_in("/src/deep");
    ck_assert_str_eq(git.root, top);
    ck_assert_str_eq(git.commit, COMMIT);
    ck_assert_str_eq(git.remote, "");
}
END_TEST

START_TEST(a_commit_is_found_among_packed_references)
{
    repository_make();
    put(".git/packed-refs",
        "# pack-refs with: peeled\n"
        "1111111111111111111111111111111111111111 refs/heads/other\n" COMMIT " refs/heads/main\n");
    ck_assert_str_eq(found_in("").commit, COMMIT);
}
END_TEST

START_TEST(a_commit_without_a_branch_is_read_from_head)
{
    repository_make();
    put(".git/HEAD", COMMIT "\n");
    ck_assert_str_eq(found_in("").commit, COMMIT);
}
END_TEST

START_TEST(a_repository_without_a_commit_has_none)
{
    repository_make();
    ck_assert_str_eq(found_in("").commit, "");
    put(".git/HEAD", "ref: refs/heads/../../HEAD\n");
    ck_assert_str_eq(found_in("").commit, "");
}
END_TEST

START_TEST(a_second_working_tree_has_its_own_head)
{
    repository_make();
    ck_assert_int_eq(mkdir(".git/worktrees", 0700), 0);
    ck_assert_int_eq(mkdir(".git/worktrees/b", 0700), 0);
    ck_assert_int_eq(mkdir("second", 0700), 0);
    put(".git/worktrees/b/HEAD", "ref: refs/heads/b\n");
    put(".git/worktrees/b/commondir", "../..\n");
    put(".git/packed-refs", COMMIT " refs/heads/b\n");
    put(".git/config", "[remote \"origin\"]\n\turl = git@example.org:team/repo.git\n");
    put("second/.git", "gitdir: ../.git/worktrees/b\n");
    struct swi_git git = found_in("/second");
    ck_assert_str_eq(git.commit, COMMIT);
    ck_assert_str_eq(git.remote, "git@example.org:team/repo.git");
    ck_assert_str_eq(strrchr(git.root, '/'), "/second");
}
END_TEST

/* The lines of a configuration, and the remote that is read from them. */
static const char *const remotes[][2] = {
    {"url = https://example.org/a.git", "https://example.org/a.git"},
    {"url = https://user:SECRET@example.org/a.git", "https://example.org/a.git"},
    {"url = https://SECRET@example.org/a.git", "https://example.org/a.git"},
    {"url = https://user:SECRET@p@example.org/a.git", "https://example.org/a.git"},
    {"url = https://user:SEC/RET@example.org/a.git", "https://example.org/a.git"},
    {"url = HTTPS://SECRET@example.org/a.git", "HTTPS://example.org/a.git"},
    {"url = ftps://SECRET@example.org/a.git", "ftps://example.org/a.git"},
    {"url = x::https://SECRET@example.org/a.git", "x::https://example.org/a.git"},
    {"url = \"https://SECRET@example.org/a.git\"", "https://example.org/a.git"},
    {"url = \"https://SECRET\"@example.org/a.git ; why", "https://example.org/a.git"},
    {"url = https://SECRET@example.org/a.git # why", "https://example.org/a.git"},
    {"url = https://SECRET\\\n@example.org/a.git", "https://example.org/a.git"},
    {"url = https://example.org/a@b.git", "https://example.org/a@b.git"},
    {"url = https://example.org:443/a@b.git", "https://example.org:443/a@b.git"},
    {"url = ssh://git@example.org/a.git", "ssh://example.org/a.git"},
    {"url = ssh://git:SECRET@example.org/a.git", "ssh://example.org/a.git"},
    {"url = git@example.org:a.git", "git@example.org:a.git"},
    {"url = /srv/git/a.git", "/srv/git/a.git"},
    {"url = \"/srv/a \\\"b\\\"; c\" # d", "/srv/a \"b\"; c"},
    {"url=/srv/a  b.git  ", "/srv/a  b.git"},
    {"URL\t=\t/srv/a.git\r", "/srv/a.git"},
    {"push\n\turl = /srv/a.git\n\turl = /srv/b.git", "/srv/a.git"},
    {"; url = /srv/wrong\n# url = /srv/wrong\n\turl = /srv/a.git", "/srv/a.git"},
    {"urls = /srv/wrong", ""},
    {"url", ""},
    {"url = \"\"", ""}};

START_TEST(a_remote_is_what_git_reads_without_its_user)
{
    char config[512];
    repository_make();
    snprintf(config, sizeof config,
             "[core]\n\turl = wrong\n[remote \"up\"]\n\turl = wrong\n"
             "[remote \"origin\"]\n\tfetch = +refs\n\t%s\n",
             remotes[_i][0]);
    put(".git/config", config);
    ck_assert_str_eq(found_in("").remote, remotes[_i][1]);
}
END_TEST

static const char *const sections[] = {
    "\xef\xbb\xbf[remote \"origin\"]\n\turl = /srv/a.git\n",
    "[REMOTE \"origin\"] ; of the team\n\turl = /srv/a.git\n",
    "[remote \"origin\"] url = /srv/a.git\n",
    "[remote \"or\\igin\"]\r\n\turl = /srv/a.git\r\n",
    "[remote.origin]\nurl = /srv/a.git",
    "[remote \"ORIGIN\"]\nurl = wrong\n[remote \"origin\"]\nurl = /srv/a.git"};

START_TEST(a_section_may_be_written_in_each_form_that_git_reads)
{
    repository_make();
    put(".git/config", sections[_i]);
    ck_assert_str_eq(found_in("").remote, "/srv/a.git");
}
END_TEST

START_TEST(a_head_that_names_no_branch_has_none)
{
    repository_make();
    put(".git/HEAD", "ref: refs/heads/.invalid\n");
    ck_assert_str_eq(found_in("").branch, "");
    put(".git/HEAD", "ref: refs/heads/topic/one\n");
    ck_assert_str_eq(found_in("").branch, "topic/one");
    ck_assert_int_eq(unlink(".git/HEAD"), 0);
    ck_assert_int_eq(symlink("refs/heads/old", ".git/HEAD"), 0);
    put(".git/packed-refs", COMMIT " refs/heads/old\n");
    ck_assert_str_eq(found_in("").branch, "old");
    ck_assert_str_eq(found_in("").commit, COMMIT);
}
END_TEST

START_TEST(a_folder_that_is_not_a_repository_is_none)
{
    struct swi_git git;
    top = scratch_enter();
    ck_assert(!swi_git_find(&git, top));
    ck_assert_str_eq(git.root, "");
    ck_assert_int_eq(mkfifo(".git", 0600), 0);
    ck_assert(!swi_git_find(&git, top));
}
END_TEST

/* As wandb.util.auto_project_name() of 0.31.0 has it, but for signs that it would refuse. */
static const struct {
    const char *repository, *folder, *project;
} projects[] = {{"/home/user/digits", "/home/user/digits", "digits"},
                {"/home/user/digits", "/home/user/digits/src/a?", "digits-src_a_"},
                {"/home/user/digits", "/usr/bin", "digits"},
                {"/home/user/digits", "/home/user", "digits"},
                {"/home/user/digits", "", "digits"},
                {"/home/user/digits", "/home/user/digits2/src", "digits-.._digits2_src"},
                {"", "/home/user/digits", "uncategorized"}};

START_TEST(a_project_is_named_by_the_repository_and_the_way_to_the_program)
{
    static struct swi_wandb_environment e;
    char project[64];
    strcpy(e.git.root, projects[_i].repository);
    strcpy(e.folder, projects[_i].folder);
    strcpy(e.root, "/somewhere/else");
    swi_wandb_environment_project(&e, project, sizeof project);
    ck_assert_str_eq(project, projects[_i].project);
}
END_TEST

START_TEST(a_project_is_no_longer_than_the_service_takes)
{
    static struct swi_wandb_environment e;
    char project[512];
    strcpy(e.git.root, "/r");
    snprintf(e.folder, sizeof e.folder, "/r/%s%0200d", "\xc3\xa4", 0);
    swi_wandb_environment_project(&e, project, sizeof project);
    ck_assert_uint_eq(strlen(project), 128);
    snprintf(e.folder, sizeof e.folder, "/r/%0125d\xc3\xa4",
             0); /* its second byte would be the 129th */
    swi_wandb_environment_project(&e, project, sizeof project);
    ck_assert_uint_eq(strlen(project), 127);
}
END_TEST

/* ---- the files of a run ---------------------------------------------------------------------- */

static void forget(void)
{
    static const char *const names[] = {"WANDB_MODE",   "WANDB_PROJECT", "WANDB_DIR",
                                        "WANDB_RUN_ID", "RANK",          "WANDB_DISABLE_GIT"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        unsetenv(names[i]);
    setenv("WANDB_MODE", "offline", 1);
    setenv("WANDB_CONFIG_DIR", "/nonexistent", 1);
}

static json_t *json_of(const char *path)
{
    json_error_t error;
    json_t *json = json_loads(host_file(path), 0, &error);
    ck_assert_msg(json != NULL, "%s: %s", path, error.text);
    return json;
}

static const char *text_of(json_t *json, const char *name)
{
    const char *text = json_string_value(json_object_get(json, name));
    ck_assert_msg(text != NULL, "%s", name);
    return text;
}

START_TEST(the_metadata_say_where_a_run_ran)
{
    forget();
    struct host *host = host_open("wandb", "");
    host_metric(host, 0, "loss", 1);
    host_close(host);
    json_t *json = json_of("wandb/latest-run/files/wandb-metadata.json");
    json_t *git = json_object_get(json, "git");
    char here[4096];
    ck_assert_ptr_nonnull(getcwd(here, sizeof here));
    ck_assert_str_eq(text_of(json, "root"), here);
    ck_assert_int_eq(strncmp(text_of(json, "os"), "Linux-", 6), 0);
    ck_assert_uint_eq(strlen(text_of(json, "startedAt")), strlen("2026-11-21T04:17:39.419857Z"));
    ck_assert_ptr_nonnull(strstr(text_of(json, "executable"), "check"));
    ck_assert_int_gt(json_integer_value(json_object_get(json, "cpu_count")), 0);
    ck_assert_int_gt(atoll(text_of(json_object_get(json, "memory"), "total")), 0);
    ck_assert_ptr_null(git);
    ck_assert_ptr_null(json_object_get(json, "args"));
    json_decref(json);
}
END_TEST

/* As the SDK writes it, on a machine with a GPU under Slurm. What is not known is left out. */
START_TEST(the_metadata_have_the_names_of_the_sdk)
{
    struct swi_text json = {0};
    const struct swi_timestamp_message started = {.seconds = 1795255200, .nanos = 123456789};
    const struct swi_disk_info_message used = {.total = UINT64_C(1) << 40, .used = 5}, none = {0};
    const struct swi_disk_entry_message root = {.key = "/", .value = &used};
    const struct swi_disk_entry_message unknown = {.key = "/tmp", .value = &none};
    const struct swi_cpu_info_message cpu = {.count = 4, .model = "C"};
    const struct swi_git_message git = {.remote_url = "", .commit = "0123"};
    const struct swi_memory_info_message memory = {0};
    const struct swi_gpu_nvidia_info_message gpu = {
        .name = "G", .memory_total = 7, .cuda_cores = 3, .architecture = "A", .uuid = "U"};
    const struct swi_gpu_nvidia_info_message hidden = {.name = ""};
    const struct swi_text_entry_message job = {.key = "job_id", .value = "9"};
    const struct swi_environment_message message = {
        .os = "L\"x",
        .python = "",
        .started_at = &started,
        .n_args = 2,
        .args = (const char *const[]){"--lr", ""},
        .code_path = "src/a.py",
        .git = &git,
        .cpu_count = 2,
        .gpu_type = "G",
        .gpu_count = 2,
        .n_disk = 2,
        .disk = (const struct swi_disk_entry_message *const[]){&root, &unknown},
        .memory = &memory,
        .cpu = &cpu,
        .n_gpu_nvidia = 2,
        .gpu_nvidia = (const struct swi_gpu_nvidia_info_message *const[]){&gpu, &hidden},
        .cuda_version = "12.4",
        .n_slurm = 1,
        .slurm = (const struct swi_text_entry_message *const[]){&job},
        .writer_id = "w",
    };
    swi_environment_json(&json, &message);
    ck_assert_str_eq(
        json.data,
        "{\"os\":\"L\\\"x\",\"startedAt\":\"2026-11-21T10:00:00.123456Z\","
        "\"args\":[\"--lr\",\"\"],\"codePath\":\"src/a.py\","
        "\"git\":{\"commit\":\"0123\"},\"cpu_count\":2,\"gpu\":\"G\",\"gpu_count\":2,"
        "\"disk\":{\"/\":{\"total\":\"1099511627776\",\"used\":\"5\"}},"
        "\"cpu\":{\"model\":\"C\"},\"gpu_nvidia\":[{\"name\":\"G\",\"memoryTotal\":\"7\","
        "\"cudaCores\":3,\"architecture\":\"A\",\"uuid\":\"U\"},{}],"
        "\"cudaVersion\":\"12.4\",\"slurm\":{\"job_id\":\"9\"},\"writerId\":\"w\"}");
    json.size = 0;
    swi_environment_json(&json, &(struct swi_environment_message){0});
    ck_assert_str_eq(json.data, "{}");
    swi_text_free(&json);
}
END_TEST

START_TEST(the_repository_is_in_the_metadata_unless_git_is_off)
{
    forget();
    struct host *host = host_open("wandb", "mode: disabled\n");
    host_close(host); /* enters the scratch folder */
    ck_assert_int_eq(mkdir(".git", 0700), 0);
    put(".git/HEAD", COMMIT "\n");
    host = host_open("wandb", "run_id: with\n");
    host_metric(host, 0, "loss", 1);
    host_close(host);
    json_t *json = json_of("wandb/latest-run/files/wandb-metadata.json");
    ck_assert_str_eq(text_of(json_object_get(json, "git"), "commit"), COMMIT);
    json_decref(json);
    setenv("WANDB_DISABLE_GIT", "true", 1);
    host = host_open("wandb", "run_id: without\n");
    host_metric(host, 0, "loss", 1);
    host_close(host);
    json = json_of("wandb/latest-run/files/wandb-metadata.json");
    ck_assert_ptr_null(json_object_get(json, "git"));
    json_decref(json);
}
END_TEST

START_TEST(the_configuration_is_yaml)
{
    forget();
    struct host *host = host_open("wandb", "");
    struct sw_profiler *sw = host_profiler(host);
    sw_hparam_float(sw, "lr", 1e-5);
    sw_hparam_int(sw, "no", 3);
    sw_hparam_string(sw, "a key", "\"quoted\": ä\n");
    sw_hparam_float(sw, "limit", 1.0 / 0.0);
    sw_hparam_float(sw, "lr", 1e-4);
    host_metric(host, 0, "loss", 1);
    host_close(host);
    const char *yaml = host_file("wandb/latest-run/files/config.yaml");
    const char *own = strstr(yaml, "lr:");
    ck_assert_ptr_nonnull(own);
    ck_assert_str_eq(own, "lr:\n    value: 0.0001\n"
                          "\"no\":\n    value: 3\n"
                          "\"a key\":\n    value: \"\\\"quoted\\\": ä\\u000a\"\n"
                          "limit:\n    value: .inf\n");
    ck_assert_ptr_nonnull(strstr(yaml, "_wandb:\n    value:\n        cli_version: \"stepwatch "));
}
END_TEST

START_TEST(a_small_number_is_one_in_yaml)
{
    forget();
    struct host *host = host_open("wandb", "");
    sw_hparam_float(host_profiler(host), "eps", 1e-8);
    host_metric(host, 0, "loss", 1);
    host_close(host);
    ck_assert_ptr_nonnull(
        strstr(host_file("wandb/latest-run/files/config.yaml"), "value: 1.0e-08\n"));
}
END_TEST

/* The second table of the report has a row of its own. */
START_TEST(the_summary_has_the_last_values)
{
    forget();
    struct host *host = host_open("wandb", "");
    host_metric(host, 0, "train/loss", 2.5);
    host_metric(host, 1, "train/loss", 1.5);
    host_close(host);
    json_t *json = json_of("wandb/latest-run/files/wandb-summary.json");
    ck_assert(json_real_value(json_object_get(json, "train/loss")) == 1.5);
    ck_assert_int_eq(json_integer_value(json_object_get(json, "_step")), 2);
    ck_assert_ptr_nonnull(json_object_get(json_object_get(json, "_wandb"), "runtime"));
    json_decref(json);
}
END_TEST

SUITE(wandb_environment)
{
    tcase_add_test(tc, a_commit_is_found_from_below);
    tcase_add_test(tc, a_commit_is_found_among_packed_references);
    tcase_add_test(tc, a_commit_without_a_branch_is_read_from_head);
    tcase_add_test(tc, a_repository_without_a_commit_has_none);
    tcase_add_test(tc, a_second_working_tree_has_its_own_head);
    tcase_add_loop_test(tc, a_remote_is_what_git_reads_without_its_user, 0,
                        sizeof remotes / sizeof *remotes);
    tcase_add_loop_test(tc, a_section_may_be_written_in_each_form_that_git_reads, 0,
                        sizeof sections / sizeof *sections);
    tcase_add_test(tc, a_head_that_names_no_branch_has_none);
    tcase_add_test(tc, a_folder_that_is_not_a_repository_is_none);
    tcase_add_loop_test(tc, a_project_is_named_by_the_repository_and_the_way_to_the_program, 0,
                        sizeof projects / sizeof *projects);
    tcase_add_test(tc, a_project_is_no_longer_than_the_service_takes);
    tcase_add_test(tc, the_metadata_say_where_a_run_ran);
    tcase_add_test(tc, the_metadata_have_the_names_of_the_sdk);
    tcase_add_test(tc, the_repository_is_in_the_metadata_unless_git_is_off);
    tcase_add_test(tc, the_configuration_is_yaml);
    tcase_add_test(tc, a_small_number_is_one_in_yaml);
    tcase_add_test(tc, the_summary_has_the_last_values);
}
