/* SPDX-License-Identifier: MIT */
/* test_merge.c - one answer from the run logs of all ranks: tests/golden/ranks. */
#include "tests/support/host.h"
#include "tests/support/sanitized.h"
#include "tests/support/suite.h"
#include "tests/tools/command.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static void enter(void)
{
    char folder[] = "/tmp/stepwatch-check-XXXXXX";
    ck_assert_ptr_nonnull(mkdtemp(folder));
    ck_assert_int_eq(chdir(folder), 0);
}

static void leave(void)
{
    char line[512];
    char *here = getcwd(NULL, 0);
    snprintf(line, sizeof line, "rm -rf '%s'", here);
    ck_assert_int_eq(chdir("/"), 0);
    ck_assert_int_eq(system(line), 0);
    free(here);
}

static json_t *load(const char *path)
{
    json_error_t err;
    json_t *json = json_load_file(path, 0, &err);
    ck_assert_msg(json != NULL, "%s: %s", path, err.text);
    return json;
}

static json_t *merge(const char *arguments)
{
    char line[1024];
    json_error_t err;
    snprintf(line, sizeof line, "merge %s --json", arguments);
    ck_assert_int_eq(stepwatch(line), 0);
    json_t *json = json_loads(command_output(), 0, &err);
    ck_assert_msg(json != NULL, "%s:\n%s", err.text, command_output());
    return json;
}

/* Whether everything that is expected is there; numbers within 1e-9 of their size. */
static void same(const json_t *expected, const json_t *found, const char *where)
{
    char at[512];
    const char *key;
    json_t *value;
    size_t index;
    ck_assert_msg(found != NULL, "%s is missing", where);
    if (json_is_object(expected)) {
        json_object_foreach((json_t *)expected, key, value)
        {
            snprintf(at, sizeof at, "%.400s.%.80s", where, key);
            same(value, json_object_get(found, key), at);
        }
    } else if (json_is_array(expected)) {
        ck_assert_msg(json_array_size(expected) == json_array_size(found), "%s: other size", where);
        json_array_foreach(expected, index, value)
        {
            snprintf(at, sizeof at, "%.400s[%zu]", where, index);
            same(value, json_array_get(found, index), at);
        }
    } else if (json_is_number(expected)) {
        double a = json_number_value(expected), b = json_number_value(found);
        ck_assert_msg(fabs(a - b) <= fmax(1e-12, 1e-9 * fabs(a)), "%s is %.17g, expected %.17g",
                      where, b, a);
    } else {
        ck_assert_msg(json_equal(expected, found), "%s differs", where);
    }
}

START_TEST(five_logs_of_six_ranks_are_merged_as_expected)
{
    json_t *expected = load(SRCDIR "/tests/golden/ranks/merge/expected.json");
    json_t *found = merge(SRCDIR "/tests/golden/ranks/merge");
    same(expected, found, "merge");
    json_decref(expected);
    json_decref(found);
}
END_TEST

static void shaped_log(const char *path, int rank, const char *shapes)
{
    FILE *file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    fprintf(file,
            "{\"type\":\"run\",\"version\":1,\"name\":\"x\",\"detail\":\"steps\",\"rank\":%d,"
            "\"world_size\":2,\"started\":1795289222.0,\"drop_first_batch\":false,\"t\":0}\n"
            "{\"type\":\"step\",\"t\":100,\"step\":0,\"phase\":\"train\",\"samples\":8,"
            "\"durations\":{\"batch\":90,\"forward\":[10,20,30],\"loss\":5}%s}\n",
            rank, shapes);
    fclose(file);
}

/* One rank has the shapes, the other calls the action without any. */
START_TEST(each_shape_of_an_action_has_a_row_if_rows_are_grouped_by_shape)
{
    shaped_log("a.jsonl", 0, ",\"shapes\":{\"forward\":[\"[[64]]\",\"[[1]]\",\"[[64]]\"]}");
    shaped_log("b.jsonl", 1, "");
    ck_assert_int_eq(stepwatch("merge --format csv --group-by shape a.jsonl b.jsonl"), 0);
    assert_printed("phase,action,shape,ranks,calls,min_ns");
    assert_printed("train,forward,,1,3,0,0,30,60,1,");
    assert_printed("train,forward,[[1]],1,1,0,1,10,20,0,");
    assert_printed("train,forward,[[64]],1,2,0,1,20,40,0,");
    assert_printed("train,loss,,2,2,5,0,5,5,0,");
    ck_assert_int_eq(stepwatch("merge --group-by shape a.jsonl b.jsonl"), 0);
    assert_printed("shape");
    assert_printed("[[64]]");
    ck_assert_int_eq(stepwatch("merge --format csv a.jsonl b.jsonl"), 0);
    assert_printed("train,forward,2,6,60,0,60,60,0,");
    ck_assert_int_eq(stepwatch("merge --group-by rank a.jsonl b.jsonl"), 2);
}
END_TEST

/* As a report does: the total is that of the outermost calls, everything else that of all calls. */
START_TEST(calls_inside_calls_of_the_same_action_are_counted_but_in_no_total)
{
    shaped_log("a.jsonl", 0, ",\"inner\":{\"forward\":[4,6,8,2]}");
    shaped_log("b.jsonl", 1, ",\"inner\":{\"forward\":[4,6,8,2]}");
    json_t *merged = merge("a.jsonl b.jsonl"), *row;
    size_t i, found = 0;
    json_array_foreach(json_object_get(merged, "rows"), i, row)
    {
        if (strcmp(json_string_value(json_object_get(row, "action")), "forward") != 0)
            continue;
        found++;
        ck_assert_int_eq(json_integer_value(json_object_get(row, "calls")), 14);
        ck_assert_int_eq(json_integer_value(json_object_get(row, "min_ns")), 60);
        ck_assert_int_eq(json_integer_value(json_object_get(row, "call_min_ns")), 2);
        ck_assert_double_eq_tol(json_number_value(json_object_get(row, "call_mean_ns")), 80.0 / 7,
                                1e-9);
    }
    ck_assert_uint_eq(found, 1);
    json_decref(merged);
}
END_TEST

/* A log of two steps with two counters, of which the second is a peak. */
static void counted_log(const char *path, int rank, const char *uses, const char *more)
{
    FILE *file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    fprintf(file,
            "{\"type\":\"run\",\"version\":1,\"name\":\"x\",\"detail\":\"steps\",\"rank\":%d,"
            "\"world_size\":2,\"started\":1795289222.0,\"drop_first_batch\":false,\"t\":0,"
            "\"counters\":[{\"name\":\"allocated\",\"kind\":\"sum\",\"unit\":\"B\"},"
            "{\"name\":\"peak\",\"kind\":\"peak\",\"unit\":\"B\"}]}\n%s",
            rank, more);
    fprintf(file,
            "{\"type\":\"step\",\"t\":100,\"step\":0,\"phase\":\"train\",\"samples\":8,"
            "\"durations\":{\"draw\":9,\"batch\":90,\"forward\":[10,20]},\"counters\":%s}\n"
            "{\"type\":\"step\",\"t\":200,\"step\":1,\"phase\":\"train\",\"samples\":8,"
            "\"durations\":{\"draw\":9,\"batch\":90,\"forward\":[10,20]},\"counters\":"
            "{\"draw\":[[1,1],null],\"batch\":[[100,10],[7,null]],"
            "\"forward\":[[[30,30],[5,null]],[[null,null],[6,null]]]}}\n",
            uses);
    fclose(file);
}

static const json_t *use_of(const json_t *merged, const char *action, const char *counter)
{
    size_t i;
    json_t *use;
    json_array_foreach(json_object_get(merged, "counters"), i, use)
    {
        if (strcmp(json_string_value(json_object_get(use, "action")), action) == 0 &&
            strcmp(json_string_value(json_object_get(use, "counter")), counter) == 0)
            return use;
    }
    ck_abort_msg("no %s of %s in\n%s", counter, action, command_output());
    return NULL;
}

static json_int_t count_in(const json_t *use, const char *key)
{
    return json_integer_value(json_object_get(use, key));
}

/* The ranks name their own counters in another order, and one of them only in a line of its own. */
START_TEST(counters_of_all_ranks_are_merged)
{
    static const char tokens[] =
        "{\"type\":\"counter\",\"name\":\"tokens\",\"kind\":\"sum\",\"unit\":\"\"}\n";
    counted_log("a.jsonl", 0, "{\"batch\":[[50,50],[9,null],[3,3]]}", tokens);
    counted_log("b.jsonl", 1, "{\"batch\":[[70,70],[4,null]]}", "");
    json_t *found = merge("a.jsonl b.jsonl");
    const json_t *use = use_of(found, "batch", "allocated");
    ck_assert_int_eq(count_in(use, "total"), 320);
    ck_assert_int_eq(count_in(use, "min"), 150);
    ck_assert_int_eq(count_in(use, "min_rank"), 0);
    ck_assert_int_eq(count_in(use, "max"), 170);
    ck_assert_int_eq(count_in(use, "max_rank"), 1);
    ck_assert_int_eq(count_in(use_of(found, "step", "allocated"), "total"), 322);
    ck_assert_int_eq(count_in(use_of(found, "forward", "allocated"), "total"), 60);
    ck_assert_int_eq(count_in(use_of(found, "batch", "peak"), "max"), 9);
    ck_assert_int_eq(count_in(use_of(found, "batch", "peak"), "min"), 7);
    ck_assert_ptr_null(json_object_get(use_of(found, "batch", "peak"), "total"));
    ck_assert_int_eq(count_in(use_of(found, "forward", "peak"), "max"), 6);
    ck_assert_int_eq(count_in(use_of(found, "batch", "tokens"), "total"), 3);
    ck_assert_int_eq(count_in(use_of(found, "batch", "tokens"), "ranks"), 1);
    json_decref(found);
}
END_TEST

START_TEST(all_counters_of_reports_are_merged)
{
    for (int rank = 0; rank < 2; rank++) {
        char path[16];
        snprintf(path, sizeof path, "%d.jsonl", rank);
        FILE *file = fopen(path, "w");
        ck_assert_ptr_nonnull(file);
        fprintf(
            file,
            "{\"type\":\"run\",\"version\":1,\"name\":\"x\",\"detail\":\"metrics\",\"rank\":%d,"
            "\"world_size\":2}\n"
            "{\"type\":\"report\",\"t\":1,\"fit\":1,\"rows\":[{\"phase\":\"train\",\"action\":"
            "\"batch\",\"calls\":2,\"total_ns\":20,\"counters\":{\"cpu\":[%d,1],\"page_faults\":"
            "[%d,null],\"switches\":[null,null]}}]}\n",
            rank, 10 + rank, 100 + rank);
        fclose(file);
    }
    json_t *found = merge("0.jsonl 1.jsonl");
    ck_assert_int_eq(count_in(use_of(found, "batch", "cpu"), "total"), 21);
    ck_assert_int_eq(count_in(use_of(found, "batch", "page_faults"), "total"), 201);
    ck_assert_uint_eq(json_array_size(json_object_get(found, "counters")), 2);
    json_decref(found);
}
END_TEST

START_TEST(each_format_of_a_merge_has_the_counters)
{
    counted_log("a.jsonl", 0, "{\"batch\":[[2048,50],[9,null]]}", "");
    counted_log("b.jsonl", 1, "{\"batch\":[[4096,70],[4,null]]}", "");
    ck_assert_int_eq(stepwatch("merge a.jsonl b.jsonl"), 0);
    assert_printed("2.10 KB@0");
    ck_assert_int_eq(stepwatch("merge --format markdown a.jsonl b.jsonl"), 0);
    assert_printed("| train | batch | allocated | 2 | 2.10 KB@0 |");
    ck_assert_int_eq(stepwatch("merge --format html a.jsonl b.jsonl"), 0);
    assert_printed("<h3>Counters</h3>");
    ck_assert_int_eq(stepwatch("merge --format csv a.jsonl b.jsonl"), 0);
    assert_printed(",wait_ns,counter/allocated/min,counter/allocated/mean,counter/allocated/max,"
                   "counter/peak/min,counter/peak/mean,counter/peak/max\n");
    assert_printed(",2148,3172,4196,7,8,9\n");
}
END_TEST

START_TEST(the_order_of_the_logs_does_not_matter)
{
#define LOG(n) SRCDIR "/tests/golden/ranks/merge/RUN." #n ".jsonl "
    json_t *one = merge(LOG(0) LOG(1) LOG(2) LOG(3) LOG(5));
    json_t *other = merge(LOG(5) LOG(3) LOG(0) LOG(2) LOG(1));
    ck_assert(json_equal(one, other));
    json_decref(one);
    json_decref(other);
}
END_TEST

START_TEST(the_table_names_the_culprit_and_who_is_missing)
{
    ck_assert_int_eq(stepwatch("merge " SRCDIR "/tests/golden/ranks/merge"), 0);
    assert_printed("88.12 ms@3");
    assert_printed("Perfect balance would save 15.8 %");
    assert_printed("rank 3 (node n001): backward takes ");
    assert_printed(
        " more a step than the median; everybody waits for it in allreduce; without it: +");
    assert_printed("Rank 4 of 6: no log");
    assert_printed("Rank 2 did not finish: the last line of the log is not whole");
    ck_assert_int_eq(stepwatch("merge --strict " SRCDIR "/tests/golden/ranks/merge"), 1);
    ck_assert_int_eq(stepwatch("merge --format markdown " SRCDIR "/tests/golden/ranks/merge"), 0);
    assert_printed("| train | allreduce ");
    ck_assert_int_eq(stepwatch("merge --format csv " SRCDIR "/tests/golden/ranks/merge"), 0);
    assert_printed("\ntrain,allreduce,5,55,88120000,3,280036600,332200000,2,");
}
END_TEST

/* ---- who keeps the others waiting ------------------------------------------------------------ */

static void step_write(FILE *file, const json_t *durations, size_t rank, size_t step)
{
    const char *action;
    json_t *value;
    long long batch = 0;
    fprintf(file,
            "{\"type\":\"step\",\"t\":0,\"step\":%zu,\"phase\":\"train\",\"samples\":64,"
            "\"durations\":{",
            step);
    json_object_foreach((json_t *)durations, action, value)
    {
        const json_t *us = json_array_get(json_array_get(value, rank), step);
        long long ns = (long long)json_number_value(us) * 1000;
        batch += strcmp(action, "draw") == 0 ? 0 : ns;
        fprintf(file, "\"%s\":%lld,", action, ns);
    }
    fprintf(file, "\"batch\":%lld}}\n", batch);
}

static void rank_write(const json_t *one, size_t rank)
{
    char path[64];
    size_t steps = (size_t)json_integer_value(json_object_get(one, "steps"));
    json_t *head = json_pack("{s:s, s:i, s:s, s:s, s:i, s:O, s:O, s:b}", "type", "run", "version",
                             1, "detail", "steps", "host",
                             json_string_value(json_array_get(json_object_get(one, "hosts"), rank)),
                             "rank", (int)rank, "world_size", json_object_get(one, "ranks"), "wait",
                             json_object_get(one, "wait"), "drop_first_batch", 0);
    snprintf(path, sizeof path, "case/%zu.jsonl", rank);
    FILE *file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    json_dumpf(head, file, JSON_COMPACT);
    fputc('\n', file);
    for (size_t s = 0; s < steps; s++)
        step_write(file, json_object_get(one, "durations_us"), rank, s);
    fputs("{\"type\":\"finish\",\"t\":0}\n", file);
    fclose(file);
    json_decref(head);
}

static void between(const json_t *one, const json_t *found)
{
    const char *key;
    json_t *range;
    json_object_foreach(json_object_get(one, "between"), key, range)
    {
        double value = json_number_value(json_object_get(found, key));
        ck_assert_msg(value >= json_number_value(json_array_get(range, 0)) &&
                          value <= json_number_value(json_array_get(range, 1)),
                      "%s is %g", key, value);
    }
}

static void case_check(const json_t *one)
{
    const char *id = json_string_value(json_object_get(one, "id"));
    ck_assert_int_eq(system("rm -rf case"), 0);
    ck_assert_int_eq(mkdir("case", 0700), 0);
    size_t ranks = (size_t)json_integer_value(json_object_get(one, "ranks"));
    for (size_t r = 0; r < ranks; r++)
        rank_write(one, r);
    json_t *found = merge("case");
    same(json_object_get(one, "expect"), json_object_get(found, "straggler"), id);
    between(one, json_object_get(found, "straggler"));
    json_decref(found);
}

START_TEST(the_straggler_is_found_and_nobody_else_is_named)
{
    size_t index;
    json_t *one, *all = load(SRCDIR "/tests/golden/ranks/straggler_cases.json");
    ck_assert_uint_ge(json_array_size(json_object_get(all, "cases")), 16);
    json_array_foreach(json_object_get(all, "cases"), index, one) case_check(one);
    json_decref(all);
}
END_TEST

/* ---- logs that do not belong together -------------------------------------------------------- */

/* A log of one step. */
static void log_write(const char *path, const char *fields)
{
    char text[1024];
    snprintf(text, sizeof text,
             "{\"type\":\"run\",\"version\":1,\"detail\":\"steps\",\"host\":\"h\"%s}\n"
             "{\"type\":\"step\",\"t\":0,\"step\":0,\"phase\":\"train\",\"samples\":1,"
             "\"durations\":{\"draw\":1,\"batch\":2}}\n{\"type\":\"finish\",\"t\":1}\n",
             fields);
    file_write(path, text);
}

static const struct {
    const char *fields, *said;
} odd[] = {
    {",\"rank\":0,\"world_size\":2", "b.jsonl: is of rank 0, as a.jsonl is; it is left out"},
    {",\"rank\":1,\"world_size\":3", "b.jsonl: is of 3 ranks, and a.jsonl of 2 ranks"},
    {",\"rank\":1,\"world_size\":2,\"job\":\"8\"", "b.jsonl: is of job \"8\", and a.jsonl of job"},
    {",\"rank\":1,\"world_size\":2,\"drop_first_batch\":true",
     "b.jsonl: has another drop_first_batch than a.jsonl"},
};

START_TEST(a_log_that_does_not_belong_to_the_others_is_left_out_and_named)
{
    log_write("a.jsonl", ",\"rank\":0,\"world_size\":2");
    log_write("b.jsonl", odd[_i].fields);
    ck_assert_int_eq(stepwatch("merge a.jsonl b.jsonl"), 1);
    assert_printed(odd[_i].said);
    assert_printed("1 of 2 ranks, 1 training steps");
}
END_TEST

START_TEST(a_file_that_is_not_a_run_log_is_named_and_the_others_are_merged)
{
    log_write("a.jsonl", ",\"rank\":0,\"world_size\":2");
    file_write("b.jsonl", "{\"type\":\"step\"}\n");
    ck_assert_int_eq(stepwatch("merge a.jsonl b.jsonl c.jsonl"), 1);
    assert_printed("b.jsonl:1: a run log must begin with a line of type \"run\"; it is left out");
    assert_printed("c.jsonl: ");
    assert_printed("1 of 2 ranks");
    ck_assert_int_eq(stepwatch("merge b.jsonl"), 1);
    assert_printed("there is no run log to merge");
}
END_TEST

START_TEST(of_two_attempts_of_a_rank_the_later_one_counts)
{
    log_write("a.jsonl", ",\"rank\":0,\"world_size\":1,\"attempt\":1");
    log_write("b.jsonl", ",\"rank\":0,\"world_size\":1");
    ck_assert_int_eq(stepwatch("merge b.jsonl a.jsonl"), 0);
    assert_printed("1 of 1 ranks");
    assert_not_printed("left out");
}
END_TEST

/* ---- logs that lack steps -------------------------------------------------------------------- */

static void head_write(FILE *file, int rank, int ranks, const char *host, const char *detail)
{
    fprintf(file,
            "{\"type\":\"run\",\"version\":1,\"name\":\"r\",\"detail\":\"%s\",\"host\":\"%s\","
            "\"pid\":%d,\"rank\":%d,\"world_size\":%d,\"job\":\"7\",\"wait\":[\"allreduce\"]}\n",
            detail, host, 100 + rank, rank, ranks);
}

/* A log of steps first..last, each with a batch of so many ns; without some of them. */
static void steps_write(const char *path, int rank, int first, int last, int without, int batch)
{
    FILE *file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    head_write(file, rank, 3, "h", "steps");
    for (int i = first; i <= last; i++)
        if (i != without)
            fprintf(file,
                    "{\"type\":\"step\",\"t\":0,\"step\":%d,\"phase\":\"train\",\"samples\":1,"
                    "\"durations\":{\"draw\":1,\"batch\":%d}}\n",
                    i, batch);
    fputs("{\"type\":\"finish\",\"t\":1}\n", file);
    fclose(file);
}

/* Rank 5 is 5 % slower in each step, and in each step another rank has a delay of 60 %, if there
 * are rare delays. */
static int work_of(int rank, int step, int ranks, bool delays)
{
    bool delayed = delays && (step * 13 + 7) % ranks == rank;
    return 100000 + (rank == 5 ? 5000 : 0) + (step * 37 + rank * 11) % 7 * 100 +
           (delayed ? 60000 : 0);
}

static void many_ranks_write(int ranks, int steps, bool delays)
{
    char path[64];
    for (int r = 0; r < ranks; r++) {
        snprintf(path, sizeof path, "many/r%03d.jsonl", r);
        FILE *file = fopen(path, "w");
        ck_assert_ptr_nonnull(file);
        head_write(file, r, ranks, "n", "steps");
        for (int s = 0; s < steps; s++) {
            int own = work_of(r, s, ranks, delays), most = 0;
            for (int k = 0; k < ranks; k++)
                most = work_of(k, s, ranks, delays) > most ? work_of(k, s, ranks, delays) : most;
            fprintf(
                file,
                "{\"type\":\"step\",\"t\":0,\"step\":%d,\"phase\":\"train\",\"samples\":1,"
                "\"durations\":{\"draw\":1000,\"backward\":%d,\"allreduce\":%d,\"batch\":%d}}\n",
                s, own, most - own + 1000, most + 2000);
        }
        fputs("{\"type\":\"finish\",\"t\":1}\n", file);
        fclose(file);
    }
}

START_TEST(a_slow_rank_that_is_rarely_the_last_is_not_said_to_cost)
{
    ck_assert_int_eq(mkdir("many", 0700), 0);
    many_ranks_write(64, 60, true);
    ck_assert_int_eq(stepwatch("merge many --wait allreduce"), 0);
    assert_printed("rank 5 (node n): backward takes 6.00");
    assert_printed(" more a step than the median, but it is the last in only ");
    assert_printed(" of the time is lost to rare delays, which made 5");
    assert_printed(" other ranks the last in some step");
    assert_not_printed("everybody waits for it");
    assert_not_printed("--wait");
    many_ranks_write(64, 60, false);
    ck_assert_int_eq(stepwatch("merge many --wait allreduce"), 0);
    assert_printed("; everybody waits for it in allreduce; without it: +4.");
}
END_TEST

/* Its end is whole, and the run finished. */
START_TEST(a_log_that_is_damaged_within_is_named)
{
    ck_assert_int_eq(mkdir("many", 0700), 0);
    many_ranks_write(4, 60, false);
    ck_assert_int_eq(system("sed -i '20s/^{/x/' many/r002.jsonl"), 0);
    ck_assert_int_eq(stepwatch("merge many"), 0);
    assert_printed("\nRank 2 lost lines, which are damaged in the log\n");
    assert_not_printed("did not finish");
    assert_printed("59 training steps");
    ck_assert_int_eq(stepwatch("merge many --strict"), 1);
    ck_assert_int_eq(stepwatch("merge many --json"), 0);
    assert_printed("\"torn\": [],");
    assert_printed("\"damaged\": [\n    2\n  ],");
    assert_printed("\"unfinished\": [],");
}
END_TEST

START_TEST(an_action_that_no_rank_has_is_named)
{
    ck_assert_int_eq(mkdir("many", 0700), 0);
    many_ranks_write(4, 60, false);
    ck_assert_int_eq(stepwatch("merge many --wait allredcue"), 0);
    assert_printed("stepwatch merge: --wait allredcue: no rank has an action of this name\n");
}
END_TEST

static const json_t *row_of(const json_t *merged, const char *phase, const char *action)
{
    size_t index;
    json_t *row;
    json_array_foreach(json_object_get(merged, "rows"), index, row)
    {
        if (strcmp(json_string_value(json_object_get(row, "phase")), phase) == 0 &&
            strcmp(json_string_value(json_object_get(row, "action")), action) == 0)
            return row;
    }
    ck_abort_msg("no row %s/%s in:\n%s", phase, action, command_output());
}

static double number_of(const json_t *object, const char *key)
{
    ck_assert_msg(json_is_number(json_object_get(object, key)), "%s is not a number", key);
    return json_number_value(json_object_get(object, key));
}

/* The largest log lacks a step, so that it is not known from the smallest one which all have. */
START_TEST(only_steps_that_all_logs_have_count_whichever_log_lacks_them)
{
    steps_write("a.jsonl", 0, 0, 9, -1, 100);
    steps_write("b.jsonl", 1, 0, 1000, 5, 100);
    steps_write("c.jsonl", 2, 2, 2000, -1, 100);
    json_t *found = merge("a.jsonl b.jsonl c.jsonl");
    ck_assert_int_eq((int)number_of(found, "steps"), 7);
    ck_assert_int_eq((int)number_of(found, "steps_left_out"), 2001 - 7);
    ck_assert_int_eq((int)number_of(row_of(found, "train", "batch"), "calls"), 21);
    ck_assert_int_eq((int)number_of(row_of(found, "train", "batch"), "max_ns"), 700);
    json_decref(found);
}
END_TEST

START_TEST(a_rank_that_was_killed_before_its_first_step_is_left_out_and_named)
{
    steps_write("a.jsonl", 0, 0, 9, -1, 100);
    steps_write("b.jsonl", 1, 0, 9, -1, 100);
    steps_write("c.jsonl", 2, 1, 0, -1, 100);
    ck_assert_int_eq(stepwatch("merge a.jsonl b.jsonl c.jsonl"), 1);
    assert_printed("c.jsonl: has no finished step; it is left out");
    assert_printed("2 of 3 ranks, 10 training steps");
    assert_printed("Rank 2 of 3: no log");
}
END_TEST

/* MiB, of all commands of this test. */
static void assert_children_took_at_most(long mib)
{
    struct rusage usage;
    ck_assert_int_eq(getrusage(RUSAGE_CHILDREN, &usage), 0);
    if (!SANITIZED)
        ck_assert_msg(usage.ru_maxrss < mib * 1024, "it took %ld KiB", usage.ru_maxrss);
}

START_TEST(a_log_may_claim_any_number_of_ranks)
{
    log_write("a.jsonl", ",\"rank\":3,\"world_size\":1000000000000000");
    ck_assert_int_eq(stepwatch("merge a.jsonl"), 0);
    assert_printed("Ranks 0-2, 4-999999999999999 of 1000000000000000: no log");
    ck_assert_int_eq(stepwatch("merge --json a.jsonl | grep -c '^    [0-9]'"), 0);
    assert_printed(
        "1048577\n"); /* so many of the missing ones are listed, and the one that is there */
    assert_children_took_at_most(32);
    log_write("a.jsonl", ",\"rank\":9223372036854775807,\"world_size\":9223372036854775807");
    ck_assert_int_eq(stepwatch("merge a.jsonl"), 0);
    assert_printed("1 of 1 ranks");
}
END_TEST

START_TEST(the_log_that_differs_from_most_is_left_out_whatever_its_place)
{
    log_write("a.jsonl", ",\"rank\":0,\"world_size\":3,\"job\":\"old\"");
    log_write("b.jsonl", ",\"rank\":1,\"world_size\":3,\"job\":\"new\"");
    log_write("c.jsonl", ",\"rank\":2,\"world_size\":3,\"job\":\"new\"");
    ck_assert_int_eq(stepwatch("merge a.jsonl b.jsonl c.jsonl"), 1);
    assert_printed("a.jsonl: is of job \"old\", and ");
    assert_printed("2 of 3 ranks");
}
END_TEST

START_TEST(an_action_that_not_all_ranks_have_is_named_with_the_file)
{
    steps_write("a.jsonl", 0, 0, 9, -1, 100);
    steps_write("b.jsonl", 1, 0, 9, -1, 100);
    file_write("c.jsonl",
               "{\"type\":\"run\",\"version\":1,\"name\":\"r\",\"detail\":\"steps\",\"rank\":2,"
               "\"world_size\":3,\"job\":\"7\"}\n{\"type\":\"step\",\"t\":0,\"step\":0,\"phase\":"
               "\"train\",\"samples\":1,\"durations\":{\"save \\\"it\\\"\":7,\"batch\":9}}\n");
    ck_assert_int_eq(stepwatch("merge a.jsonl b.jsonl c.jsonl"), 0);
    assert_printed("c.jsonl: has the action train/save \"it\", which 1 of 3 ranks have");
    assert_printed("c.jsonl: lacks the action train/draw, which 2 of 3 ranks have");
    assert_printed("Rank 2 did not finish");
}
END_TEST

/* ---- from reports ---------------------------------------------------------------------------- */

/* A row of a report; each of its durations is in one bin, that of 1000 ns. */
static void report_row(FILE *file, const char *action, int calls, int mean)
{
    fprintf(file,
            "{\"phase\":\"train\",\"action\":\"%s\",\"mean_ns\":%d.0,\"std_ns\":0.0,\"calls\":%d,"
            "\"total_ns\":%d.0,\"min_ns\":%d.0,\"max_ns\":%d.0,\"hist\":[[66109,%d]]}",
            action, mean, calls, calls * mean, mean, mean, calls);
}

static void report_write(FILE *file, int fit, int backward, int allreduce)
{
    fprintf(file, "{\"type\":\"report\",\"t\":0,\"fit\":%d,\"rows\":[", fit);
    report_row(file, "step", 10, backward + allreduce);
    fputc(',', file);
    report_row(file, "backward", 10, backward);
    fputc(',', file);
    report_row(file, "allreduce", 10, allreduce);
    fputs("]}\n", file);
}

static void blocks_write(FILE *file, int width, int backward, int allreduce)
{
    int blocks = 320 / width;
    const struct {
        const char *key;
        int value;
    } list[] = {{",\"steps\":", width},
                {",\"durations\":{\"backward\":", backward * width},
                {",\"allreduce\":", allreduce * width},
                {",\"batch\":", (backward + allreduce) * width}};
    fprintf(file, "{\"type\":\"blocks\",\"width\":%d,\"first\":0,\"count\":%d", width, blocks);
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        fputs(list[k].key, file);
        for (int i = 0; i < blocks; i++)
            fprintf(file, "%s%d", i ? "," : "[", list[k].value);
        fputc(']', file);
    }
    fputs("}}\n", file);
}

/* Rank 2 of four is slow. */
static void summary_write(int rank, int width)
{
    char path[64], host[16];
    snprintf(path, sizeof path, "sum/r.%d.jsonl", rank);
    snprintf(host, sizeof host, "n%d", rank / 2);
    FILE *file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    int backward = rank == 2 ? 1400 : 1000, allreduce = rank == 2 ? 100 : 500;
    head_write(file, rank, 4, host, "summary");
    if (width)
        blocks_write(file, width, backward, allreduce);
    report_write(file, 1, backward, allreduce);
    fputs("{\"type\":\"finish\",\"t\":1}\n", file);
    fclose(file);
}

static void summaries_write(int width)
{
    ck_assert_int_eq(mkdir("sum", 0700), 0);
    for (int rank = 0; rank < 4; rank++)
        summary_write(rank, width && rank == 1 ? 4 * width : width);
}

START_TEST(summaries_with_blocks_of_unlike_width_name_the_slow_rank)
{
    summaries_write(2);
    ck_assert_int_eq(stepwatch("merge sum"), 0);
    assert_printed("4 of 4 ranks, 10 training steps");
    assert_printed("From the reports of the ranks, not from their steps");
    assert_printed("Perfect balance would save at least 20.0 %");
    assert_printed(
        "rank 2 (node n1): backward takes 400.0 ns more a step than the median; everybody "
        "waits for it in allreduce");
    assert_printed("(means of 8 steps: short delays are not seen)");
}
END_TEST

START_TEST(reports_without_blocks_say_what_is_lost_at_least)
{
    summaries_write(0);
    ck_assert_int_eq(stepwatch("merge sum"), 0);
    assert_printed("Perfect balance would save at least 20.0 %");
    assert_printed("who keeps the others waiting is not known: too few ranks or steps");
}
END_TEST

START_TEST(rows_of_reports_add_up_over_ranks_and_fits_and_so_do_their_histograms)
{
    summaries_write(0);
    FILE *file = fopen("sum/r.3.jsonl", "a");
    ck_assert_ptr_nonnull(file);
    report_write(file, 2, 1000, 500);
    report_write(file, 2, 2000, 500); /* made again, with the rows after the fit */
    fclose(file);
    json_t *found = merge("sum");
    const json_t *row = row_of(found, "train", "backward");
    ck_assert_str_eq(json_string_value(json_object_get(found, "from")), "reports");
    ck_assert_int_eq((int)number_of(row, "calls"), 50);
    ck_assert_int_eq((int)number_of(row, "max_ns"), 30000);
    ck_assert_int_eq((int)number_of(row, "max_rank"), 3);
    ck_assert_int_eq((int)number_of(row, "min_ns"), 10000);
    ck_assert_int_eq((int)number_of(row, "mean_ns"), 16000);
    ck_assert_int_eq((int)number_of(row, "call_mean_ns"), 1280);
    ck_assert_double_eq_tol(number_of(row, "call_std_ns"), 391.91835884530846, 1e-6);
    ck_assert_double_eq_tol(number_of(row, "p50_ns"), 1000, 8);
    json_decref(found);
}
END_TEST

START_TEST(a_summary_without_a_report_is_left_out_and_the_others_are_merged)
{
    summaries_write(2);
    FILE *file = fopen("sum/r.1.jsonl", "w");
    ck_assert_ptr_nonnull(file);
    head_write(file, 1, 4, "n0", "summary");
    fclose(file);
    ck_assert_int_eq(stepwatch("merge sum"), 1);
    assert_printed("sum/r.1.jsonl: has neither steps nor a report yet; it is left out");
    assert_printed("3 of 4 ranks");
}
END_TEST

/* Whether another rank of its node is left or none, from steps and from reports. */
START_TEST(a_node_keeps_its_name_if_its_first_rank_is_left_out)
{
    steps_write("a.jsonl", 0, 1, 0, -1, 100);
    steps_write("b.jsonl", 1, 0, 9, -1, 100);
    steps_write("c.jsonl", 2, 1, 0, -1, 100);
    ck_assert_int_eq(system("sed -i 's/\"host\":\"[^\"]*\"/\"host\":\"alone\"/' c.jsonl"), 0);
    ck_assert_int_eq(stepwatch("merge --by node a.jsonl b.jsonl c.jsonl"), 1);
    assert_printed("c.jsonl: has no finished step; it is left out");
    assert_printed("@h");
    assert_not_printed("@alone");
    summaries_write(2);
    ck_assert_int_eq(system("sed -i '/\"report\"/d' sum/r.0.jsonl"), 0);
    ck_assert_int_eq(stepwatch("merge --by node sum"), 1);
    assert_printed("@n0");
}
END_TEST

START_TEST(a_run_log_and_a_summary_of_one_process_are_one_rank)
{
    ck_assert_int_eq(mkdir("both", 0700), 0);
    steps_write("both/a.jsonl", 0, 0, 9, -1, 100);
    ck_assert_int_eq(system("sed s/steps/summary/ both/a.jsonl >both/0.jsonl"), 0);
    ck_assert_int_eq(stepwatch("merge both both/a.jsonl"), 0);
    assert_printed("1 of 3 ranks, 10 training steps");
    assert_not_printed("left out");
}
END_TEST

/* ---- what is asked for ----------------------------------------------------------------------- */

START_TEST(nodes_are_compared_by_the_mean_of_their_ranks)
{
    summaries_write(2);
    ck_assert_int_eq(stepwatch("merge --by node sum"), 0);
    assert_printed("min@node");
    assert_printed("10.00 \302\265s@n0  11.00 \302\265s  12.00 \302\265s@n1");
    json_t *found = merge("--by node sum");
    const json_t *row = row_of(found, "train", "backward");
    ck_assert_str_eq(json_string_value(json_object_get(row, "max_node")), "n1");
    ck_assert_int_eq((int)number_of(row, "max_ns"), 12000);
    ck_assert_uint_eq(json_array_size(json_object_get(found, "nodes")), 2);
    json_decref(found);
    ck_assert_int_eq(stepwatch("merge --by host sum"), 2);
    assert_printed("--by: \"host\" is not one of rank, node");
}
END_TEST

START_TEST(a_page_has_the_table_the_culprit_and_a_bar_for_each_rank)
{
    summaries_write(2);
    ck_assert_int_eq(system("sed -i 's/\"backward\"/\"<b>back\"/g' sum/*.jsonl"), 0);
    ck_assert_int_eq(stepwatch("merge --format html sum"), 0);
    assert_printed("<!DOCTYPE html>");
    assert_printed("&#60;b&#62;back takes 400.0 ns more a step");
    assert_printed("<td class=\"name\">&#60;b&#62;back</td>");
    assert_printed("<title>rank 2 (n1): 1.400 \302\265s</title>");
    assert_printed("</html>");
    assert_not_printed("<b>");
}
END_TEST

START_TEST(a_file_can_list_the_logs_and_a_folder_without_logs_is_named)
{
    summaries_write(2);
    ck_assert_int_eq(mkdir("empty", 0700), 0);
    file_write("list.txt", "sum/r.0.jsonl\n\nsum/r.1.jsonl\nsum/r.2.jsonl\n");
    ck_assert_int_eq(stepwatch("merge --from list.txt sum/r.3.jsonl"), 0);
    assert_printed("4 of 4 ranks");
    ck_assert_int_eq(stepwatch("merge --from - <list.txt"), 0);
    assert_printed("3 of 4 ranks");
    ck_assert_int_eq(stepwatch("merge sum empty"), 1);
    assert_printed("empty: has no *.jsonl file");
    assert_printed("4 of 4 ranks");
    ck_assert_int_eq(stepwatch("merge --from nothing.txt"), 1);
    assert_printed("--from: nothing.txt: cannot be read: No such file");
}
END_TEST

/* A log of regions, and the report that is merged. */
static void regions_write(const char *path, int rank)
{
    static const char *const line[] = {
        "begin\",\"t\":0,\"action\":\"fit\"", "begin\",\"t\":10,\"action\":\"forward\"",
        "end\",\"t\":2000,\"action\":\"forward\"", "end\",\"t\":3000,\"action\":\"fit\""};
    FILE *file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    head_write(file, rank, 2, "n0", "regions");
    for (size_t i = 0; i < sizeof line / sizeof *line; i++)
        fprintf(file, "{\"type\":\"%s}\n", line[i]);
    report_write(file, 1, 1000, 500);
    fputs("{\"type\":\"finish\",\"t\":3000}\n", file);
    fclose(file);
}

START_TEST(a_trace_has_a_process_for_each_rank)
{
    regions_write("a.jsonl", 0);
    regions_write("b.jsonl", 1);
    ck_assert_int_eq(stepwatch("merge a.jsonl b.jsonl --trace trace.json"), 0);
    assert_printed("2 of 2 ranks");
    json_t *trace = load("trace.json");
    char *text = json_dumps(trace, JSON_COMPACT);
    ck_assert_ptr_nonnull(strstr(text, "\"labels\":\"rank 0\""));
    ck_assert_ptr_nonnull(strstr(text, "\"labels\":\"rank 1\""));
    free(text);
    json_decref(trace);
    steps_write("c.jsonl", 0, 0, 9, -1, 100);
    ck_assert_int_eq(stepwatch("merge c.jsonl --trace trace.json"), 1);
    assert_printed("stepwatch merge: --trace: c.jsonl: ");
    assert_printed("10 training steps");
}
END_TEST

static const struct {
    const char *command, *said;
} unreadable[] = {
    {": >b.jsonl", "b.jsonl: has no complete line: is it a run log?; it is left out"},
    {"mkdir b.jsonl b.jsonl/c.jsonl", "b.jsonl/c.jsonl: has no *.jsonl file"},
    {"mkfifo b.jsonl", "b.jsonl: cannot be read: it is not a file"},
    {"sed 's/\"version\":1/\"version\":2/' a.jsonl >b.jsonl",
     "b.jsonl:1: version 2 is not known, expected 1; it is left out"},
    {"head -c 40 a.jsonl >b.jsonl", "b.jsonl: has no complete line: is it a run log?"},
    {"printf 'nothing\\n' >b.jsonl", "b.jsonl:1: "},
    {"sed 's/\"r\"/\"other\"/;s/\"7\"/\"\"/' a.jsonl >b.jsonl && sed -i 's/\"7\"/\"\"/' a.jsonl",
     "b.jsonl: is of run \"other\", and a.jsonl of run \"r\" (--force merges them)"},
};

START_TEST(what_cannot_be_merged_is_named_and_the_rest_is_merged)
{
    steps_write("a.jsonl", 0, 0, 9, -1, 100);
    ck_assert_int_eq(system(unreadable[_i].command), 0);
    ck_assert_int_eq(stepwatch("merge a.jsonl b.jsonl b.jsonl/c.jsonl"), 1);
    assert_printed(unreadable[_i].said);
    assert_printed("1 of 3 ranks, 10 training steps");
}
END_TEST

/* ---- how much it takes ----------------------------------------------------------------------- */

START_TEST(memory_does_not_grow_with_the_ranks)
{
    char path[64];
    ck_assert_int_eq(mkdir("sum", 0700), 0);
    summary_write(0, 2);
    const char *text = host_file("sum/r.0.jsonl");
    for (int rank = 1; rank < 1024; rank++) {
        snprintf(path, sizeof path, "sum/r.%d.jsonl", rank);
        FILE *file = fopen(path, "w");
        ck_assert_ptr_nonnull(file);
        head_write(file, rank, 1024, "n", "summary");
        fputs(strchr(text, '\n') + 1, file);
        fclose(file);
    }
    ck_assert_int_eq(system("sed -i 's/\"world_size\":4/\"world_size\":1024/' sum/r.0.jsonl"), 0);
    ck_assert_int_eq(stepwatch("merge sum"), 0);
    assert_printed("1024 of 1024 ranks");
    assert_children_took_at_most(64);
}
END_TEST

/* Writes durations of a rank, as their sum over so many steps. */
static void durations_put(FILE *file, int64_t steps, int64_t late)
{
    fprintf(file,
            "\"durations\":{\"draw\":%" PRId64 ",\"forward\":%" PRId64 ",\"backward\":%" PRId64
            ",\"allreduce\":%" PRId64 ",\"opt_step\":%" PRId64 ",\"batch\":%" PRId64 "}",
            1000 * steps, 2000 * steps, (100000 + late) * steps, (6000 - late) * steps,
            1000 * steps, 110000 * steps);
}

/* Each log has one line, of many steps. */
START_TEST(the_durations_of_all_ranks_take_a_limited_memory)
{
    enum { RANKS = 64, STEPS = 80000 };
    static const char *const part[] = {"sum", "min", "max"};
    char path[64];
    ck_assert_int_eq(mkdir("many", 0700), 0);
    for (int rank = 0; rank < RANKS; rank++) {
        snprintf(path, sizeof path, "many/r%03d.jsonl", rank);
        FILE *file = fopen(path, "w");
        ck_assert_ptr_nonnull(file);
        head_write(file, rank, RANKS, "n", "steps");
        fprintf(file,
                "{\"type\":\"steps\",\"from\":0,\"t\":0,\"first\":0,\"step\":%d,\"steps\":%d,"
                "\"phase\":\"train\",\"samples\":1",
                STEPS - 1, STEPS);
        for (int i = 0; i < 3; i++) {
            fprintf(file, ",\"%s\":{", part[i]);
            durations_put(file, i ? 1 : STEPS, rank == 5 ? 5000 : 0);
            fputc('}', file);
        }
        fputs("}\n{\"type\":\"finish\",\"t\":1}\n", file);
        fclose(file);
    }
    ck_assert_int_eq(stepwatch("merge many"), 0);
    assert_printed("64 of 64 ranks, 80000 training steps");
    assert_printed("rank 5 (node n): backward takes 5.000 \302\265s more a step than the median");
    assert_printed("(means of 2 steps");
    assert_children_took_at_most(100);
}
END_TEST

SUITE(merge)
{
    tcase_add_checked_fixture(tc, enter, leave);
    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, five_logs_of_six_ranks_are_merged_as_expected);
    tcase_add_test(tc, calls_inside_calls_of_the_same_action_are_counted_but_in_no_total);
    tcase_add_test(tc, each_shape_of_an_action_has_a_row_if_rows_are_grouped_by_shape);
    tcase_add_test(tc, counters_of_all_ranks_are_merged);
    tcase_add_test(tc, all_counters_of_reports_are_merged);
    tcase_add_test(tc, each_format_of_a_merge_has_the_counters);
    tcase_add_test(tc, the_order_of_the_logs_does_not_matter);
    tcase_add_test(tc, the_table_names_the_culprit_and_who_is_missing);
    tcase_add_test(tc, a_slow_rank_that_is_rarely_the_last_is_not_said_to_cost);
    tcase_add_test(tc, a_log_that_is_damaged_within_is_named);
    tcase_add_test(tc, an_action_that_no_rank_has_is_named);
    tcase_add_test(tc, the_straggler_is_found_and_nobody_else_is_named);
    tcase_add_loop_test(tc, a_log_that_does_not_belong_to_the_others_is_left_out_and_named, 0,
                        sizeof odd / sizeof *odd);
    tcase_add_test(tc, a_file_that_is_not_a_run_log_is_named_and_the_others_are_merged);
    tcase_add_test(tc, of_two_attempts_of_a_rank_the_later_one_counts);
    tcase_add_test(tc, only_steps_that_all_logs_have_count_whichever_log_lacks_them);
    tcase_add_test(tc, a_rank_that_was_killed_before_its_first_step_is_left_out_and_named);
    tcase_add_test(tc, a_node_keeps_its_name_if_its_first_rank_is_left_out);
    tcase_add_test(tc, a_log_may_claim_any_number_of_ranks);
    tcase_add_test(tc, the_log_that_differs_from_most_is_left_out_whatever_its_place);
    tcase_add_test(tc, an_action_that_not_all_ranks_have_is_named_with_the_file);
    tcase_add_test(tc, summaries_with_blocks_of_unlike_width_name_the_slow_rank);
    tcase_add_test(tc, reports_without_blocks_say_what_is_lost_at_least);
    tcase_add_test(tc, rows_of_reports_add_up_over_ranks_and_fits_and_so_do_their_histograms);
    tcase_add_test(tc, a_summary_without_a_report_is_left_out_and_the_others_are_merged);
    tcase_add_test(tc, a_run_log_and_a_summary_of_one_process_are_one_rank);
    tcase_add_test(tc, nodes_are_compared_by_the_mean_of_their_ranks);
    tcase_add_test(tc, a_page_has_the_table_the_culprit_and_a_bar_for_each_rank);
    tcase_add_test(tc, a_file_can_list_the_logs_and_a_folder_without_logs_is_named);
    tcase_add_test(tc, a_trace_has_a_process_for_each_rank);
    tcase_add_loop_test(tc, what_cannot_be_merged_is_named_and_the_rest_is_merged, 0,
                        sizeof unreadable / sizeof *unreadable);
    tcase_add_test(tc, memory_does_not_grow_with_the_ranks);
    tcase_add_test(tc, the_durations_of_all_ranks_take_a_limited_memory);
}
