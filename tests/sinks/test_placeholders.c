/* SPDX-License-Identifier: MIT */
/* test_placeholders.c - the names of the files that a process writes: {rank} and others, and what
 * keeps the ranks of a run from writing one file. Many real processes are in scripts/ranks.sh. */
#include "tests/support/host.h"
#include "tests/support/suite.h"

#include <stepwatch/inspect.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static void rank_is(const char *rank, const char *size)
{
    setenv("STEPWATCH_RANK", rank, 1);
    setenv("STEPWATCH_WORLD_SIZE", size, 1);
}

static char path[1024];

/* A path with what this machine and process put in. */
static const char *path_of(const char *format)
{
    char host[256] = "";
    gethostname(host, sizeof host - 1);
    snprintf(path, sizeof path, format, host, (int)getpid());
    return path;
}

static void fit_into(const char *sink, const char *options)
{
    struct host *host = host_open(sink, options);
    host_fit(host, 2);
    host_close(host);
}

START_TEST(each_placeholder_is_replaced_by_its_value)
{
    rank_is("3", "8");
    setenv("STEPWATCH_LOCAL_RANK", "1", 1);
    setenv("SLURM_JOB_ID", "47/11", 1);
    setenv("SLURM_RESTART_COUNT", "2", 1);
    host_name("a b");
    fit_into("csv",
             "path: \"{name}_{rank}_{world_size}_{local_rank}_{job}_{attempt}_{run}_{{x}\"\n");
    ck_assert(host_has("a_b_3_8_1_47_11_2_47_11-a2_{x}"));
    fit_into("csv", "path: \"{rank}-{host}-{pid}\"\n");
    ck_assert(host_has(path_of("3-%s-%d")));
}
END_TEST

/* Also two long names with the same begin have files of their own. */
START_TEST(a_long_name_leaves_room_for_the_rest_of_a_files_name)
{
    char name[2][241];
    memset(name, 'n', sizeof name);
    for (int i = 0; i < 2; i++) {
        snprintf(name[i] + 236, 5, "-%d", i);
        host_name(name[i]);
        fit_into("runlog", "path: \"{name}-{time}-{host}-{pid}.jsonl\"\n");
        fit_into("csv", "path: \"{name}.csv\"\n");
    }
    ck_assert_int_eq(system("test $(ls *.csv | wc -l) = 2 && test $(ls *.jsonl | wc -l) = 2"), 0);
    ck_assert_int_eq(system("ls | grep -q '^n\\{119\\}-[0-9a-f]\\{8\\}[.]csv$'"), 0);
}
END_TEST

START_TEST(no_control_gets_into_the_name_of_a_file)
{
    host_name("a\\n\\eb");
    fit_into("trace", "");
    fit_into("runlog", "");
    ck_assert_int_eq(system("test $(ls runs/a__b-* | wc -l) = 2"), 0);
}
END_TEST

START_TEST(a_number_that_is_not_known_is_x)
{
    setenv("JOB_COMPLETION_INDEX", "3", 1);
    fit_into("csv", "path: \"{rank}.{world_size}.{local_rank}.{job}\"\n");
    ck_assert(host_has("3.x.x.x"));
}
END_TEST

/* What the configuration says, and what rank 3 of 8 makes of it. */
static const struct {
    const char *sink, *options, *file;
} names[] = {
    {"csv", "path: out/r.csv\n", "out/r.3.csv"},
    {"csv", "path: out/.hidden\n", "out/.hidden.3"},
    {"csv", "path: out.d/r\n", "out.d/r.3"},
    {"trace", "path: r.json.gz\n", "r.3.json.gz"},
    {"trace", "format: torch\npath: r.pt.trace.json\n", "r.3.pt.trace.json"},
    {"trace", "format: torch\npath: r.pt.trace.json.gz\n", "r.3.pt.trace.json.gz"},
    {"csv", "path: \"r-{rank}.csv\"\n", "r-3.csv"},
    {"csv", "path: \"{{rank}.csv\"\n", "{rank}.3.csv"},
    {"markdown", "path: r.md\n", "r.3.md"},
    {"table", "path: r.txt\n", "r.3.txt"},
    {"runlog", "path: r.jsonl\n", "r.3.jsonl"},
    {"tensorboard", "run: mine\n", "runs/mine/rank_3"},
    {"tensorboard", "run: \"mine-{rank}\"\n", "runs/mine-3"},
    {"tensorboard", "logdir: \"at/{rank}\"\nrun: mine\n", "at/3/mine"},
};

START_TEST(a_name_without_the_rank_gets_it)
{
    rank_is("3", "8");
    fit_into(names[_i].sink, names[_i].options);
    ck_assert_msg(host_has(names[_i].file), "%s: there is no %s", names[_i].options,
                  names[_i].file);
}
END_TEST

START_TEST(a_name_with_host_and_process_is_kept)
{
    rank_is("3", "8");
    fit_into("csv", "path: \"{host}-{pid}.csv\"\n");
    ck_assert(host_has(path_of("%s-%d.csv")));
}
END_TEST

/* RANK and WORLD_SIZE are left over from the shell: mpirun says another rank. */
START_TEST(where_the_rank_is_not_certain_host_and_process_are_in_the_name)
{
    setenv("RANK", "2", 1);
    setenv("WORLD_SIZE", "4", 1);
    setenv("OMPI_COMM_WORLD_RANK", "1", 1);
    setenv("OMPI_COMM_WORLD_SIZE", "4", 1);
    fit_into("csv", "path: r.csv\n");
    ck_assert(host_has(path_of("r.1-%s-%d.csv")));
}
END_TEST

START_TEST(a_run_of_one_process_has_the_name_that_was_written)
{
    fit_into("csv", "path: r.csv\n");
    ck_assert(host_has("r.csv"));
    rank_is("0", "1");
    fit_into("csv", "path: r.csv\n");
    ck_assert(!host_has("r.0.csv") && !host_has("r-2.csv"));
}
END_TEST

START_TEST(a_file_with_the_rank_in_its_name_is_never_replaced)
{
    rank_is("3", "8");
    fit_into("csv", "path: r.csv\n");
    fit_into("csv", "path: r.csv\n");
    ck_assert(host_has("r.3.csv"));
    ck_assert(host_has("r.3-2.csv"));
}
END_TEST

START_TEST(what_another_sink_writes_meanwhile_is_not_replaced)
{
    struct sw_error err;
    struct host *host = host_open("runlog", "path: r.jsonl\n");
    sw_flush(host_profiler(host), 5000000000);
    struct sw_profiler *other = sw_open_text("logger_callback:\n  - runlog: { path: r.jsonl }\n"
                                             "profiler: { show_report: false }\n",
                                             &err);
    ck_assert_ptr_nonnull(other);
    sw_close(other, &err);
    host_close(host);
    ck_assert(strstr(host_file("r.jsonl"), "\"finish\""));
    ck_assert(strstr(host_file("r-2.jsonl"), "\"finish\""));
    ck_assert_int_ne(access(".r.jsonl.lock", F_OK), 0);
    fit_into("runlog", "path: r.jsonl\n"); /* nobody has it now */
    ck_assert(!host_has("r-3.jsonl"));
}
END_TEST

/* The clock of a file server may be ahead, so that the last run's file looks newer than this run.
 */
START_TEST(a_file_from_the_future_is_replaced)
{
    const struct timespec future[2] = {{.tv_sec = time(NULL) + 3600},
                                       {.tv_sec = time(NULL) + 3600}};
    fit_into("csv", "path: r.csv\n");
    ck_assert_int_eq(utimensat(AT_FDCWD, "r.csv", future, 0), 0);
    fit_into("csv", "path: r.csv\n");
    ck_assert(!host_has("r-2.csv"));
}
END_TEST

static int descriptors(void)
{
    int count = 0;
    for (int fd = 0; fd < 1024; fd++)
        count += fcntl(fd, F_GETFD) >= 0;
    return count;
}

START_TEST(a_hundred_fits_need_no_more_descriptors_than_one)
{
    static const char *const sinks[] = {"csv", "markdown", "table"};
    struct host *host = host_open(sinks[_i], _i == 2 ? "path: r\nlive: off\n" : "path: r\n");
    host_fit(host, 1);
    sw_flush(host_profiler(host), INT64_C(10000000000));
    int before = descriptors();
    for (int i = 2; i <= 100; i++)
        host_fit(host, 1);
    sw_flush(host_profiler(host), INT64_C(10000000000));
    ck_assert_int_eq(descriptors(), before);
    host_close(host);
    ck_assert(host_has("r") && host_has("r-2") && host_has("r-100"));
    ck_assert(!host_has(".r.lock"));
}
END_TEST

START_TEST(a_living_run_keeps_the_files_of_its_fits)
{
    SW_ERROR_SCOPE(err);
    struct host *host = host_open("csv", "path: r.csv\n");
    host_fit(host, 3);
    host_fit(host, 3);
    sw_flush(host_profiler(host), INT64_C(10000000000));
    char *first = strdup(host_file("r.csv")), *second = strdup(host_file("r-2.csv"));
    struct sw_profiler *other = sw_open_text("logger_callback:\n  - csv: { path: r.csv }\n"
                                             "profiler: { show_report: false }\n",
                                             &err);
    ck_assert_ptr_nonnull(other);
    for (int fit = 0; fit < 2; fit++) {
        sw_begin(other, SW_FIT);
        sw_end(other, SW_FIT);
    }
    ck_assert_int_eq(sw_close(other, NULL), 0);
    ck_assert_str_eq(host_file("r.csv"), first);
    ck_assert_str_eq(host_file("r-2.csv"), second);
    ck_assert(host_has("r-3.csv") && host_has("r-2-2.csv"));
    free(first);
    free(second);
    host_close(host);
}
END_TEST

/* ---- standard output ------------------------------------------------------------------------- */

START_TEST(standard_output_is_of_rank_0)
{
    static const char *const sinks[] = {"table", "markdown", "csv"};
    char options[64];
    snprintf(options, sizeof options, "path: \"-\"\n");
    rank_is("1", "4");
    fit_into(sinks[_i], options);
    ck_assert_str_eq(host_stdout(), "");
    rank_is("0", "4");
    fit_into(sinks[_i], options);
    ck_assert_ptr_nonnull(strstr(host_stdout(), "draw"));
    snprintf(options, sizeof options, "path: \"-\"\nranks: all\n");
    rank_is("1", "4");
    fit_into(sinks[_i], options);
    ck_assert_ptr_nonnull(strstr(host_stdout(), "draw"));
}
END_TEST

START_TEST(below_the_table_is_where_the_others_are)
{
    rank_is("0", "4");
    fit_into("table", "");
    ck_assert_ptr_nonnull(
        strstr(host_stdout(), "\nrank 0 of 4; of the other 3 nothing is kept: add runlog\n"));
    setenv("STEPWATCH_RANK", "0", 1);
    struct host *host = host_open_with("csv", "path: out/r.csv\n", "markdown: true\n");
    host_fit(host, 2);
    host_close(host);
    ck_assert_ptr_nonnull(strstr(host_stdout(), "\nrank 0 of 4; the others: out/r.*.csv\n"));
    rank_is("2", "4");
    fit_into("table", "ranks: all\n");
    ck_assert_ptr_nonnull(strstr(host_stdout(), "\nrank 2 of 4\n"));
}
END_TEST

START_TEST(a_process_alone_has_no_such_line)
{
    fit_into("table", "");
    ck_assert_ptr_null(strstr(host_stdout(), "rank 0"));
}
END_TEST

SUITE(placeholders)
{
    tcase_add_test(tc, each_placeholder_is_replaced_by_its_value);
    tcase_add_test(tc, a_long_name_leaves_room_for_the_rest_of_a_files_name);
    tcase_add_test(tc, no_control_gets_into_the_name_of_a_file);
    tcase_add_test(tc, a_number_that_is_not_known_is_x);
    tcase_add_loop_test(tc, a_name_without_the_rank_gets_it, 0, sizeof names / sizeof *names);
    tcase_add_test(tc, a_name_with_host_and_process_is_kept);
    tcase_add_test(tc, where_the_rank_is_not_certain_host_and_process_are_in_the_name);
    tcase_add_test(tc, a_run_of_one_process_has_the_name_that_was_written);
    tcase_add_test(tc, a_file_with_the_rank_in_its_name_is_never_replaced);
    tcase_add_test(tc, what_another_sink_writes_meanwhile_is_not_replaced);
    tcase_add_test(tc, a_file_from_the_future_is_replaced);
    tcase_add_loop_test(tc, a_hundred_fits_need_no_more_descriptors_than_one, 0, 3);
    tcase_add_test(tc, a_living_run_keeps_the_files_of_its_fits);
    tcase_add_loop_test(tc, standard_output_is_of_rank_0, 0, 3);
    tcase_add_test(tc, below_the_table_is_where_the_others_are);
    tcase_add_test(tc, a_process_alone_has_no_such_line);
}
