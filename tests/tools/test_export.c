/* SPDX-License-Identifier: MIT */
/* stepwatch export: a run log as a timeline. What each format says of a run is read back: the same
 * calls and times on each thread. */
#include "tests/support/golden.h"
#include "tests/support/host.h"
#include "tests/support/scratch.h"
#include "tests/support/suite.h"
#include "tests/support/timelines.h"
#include "tests/tools/command.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- the run of tests/golden/timeline, as a run log ------------------------------------------ */

struct edge {
    int64_t ns;
    bool begins;
    int64_t other_ns; /* the other end */
    int64_t thread;
    const char *name;
    int64_t samples;
};

/* In time; at the same time ends come before begins, what is inside ends first and begins last. */
static int in_time(const void *a, const void *b)
{
    const struct edge *x = a, *y = b;
    if (x->ns != y->ns)
        return x->ns < y->ns ? -1 : 1;
    if (x->begins != y->begins)
        return x->begins ? 1 : -1;
    return (x->other_ns < y->other_ns) - (x->other_ns > y->other_ns);
}

static int64_t number_at(const json_t *object, const char *key, int64_t fallback)
{
    const json_t *value = json_object_get(object, key);
    return json_is_integer(value) ? json_integer_value(value) : fallback;
}

static void edge_print(FILE *file, const struct edge *edge)
{
    json_t *line =
        json_pack("{s:s, s:I, s:s, s:I}", "type", edge->begins ? "begin" : "end", "t",
                  (json_int_t)edge->ns, "action", edge->name, "thread", (json_int_t)edge->thread);
    if (!edge->begins && edge->samples >= 0)
        json_object_set_new(line, "samples", json_integer(edge->samples));
    json_dumpf(line, file, JSON_COMPACT);
    fputc('\n', file);
    json_decref(line);
}

static void head_print(FILE *file, int rank, int pid, double started)
{
    fprintf(
        file,
        "{\"type\":\"run\",\"version\":1,\"started\":%.6f,\"name\":\"digits\",\"host\":\"nodeA\","
        "\"pid\":%d,\"stepwatch\":\"0.1.0\",\"detail\":\"regions\",\"rank\":%d,"
        "\"world_size\":%d}\n",
        started, pid, rank, rank ? 2 : 1);
}

/* Writes the golden run as golden.jsonl; pid of the loader's thread: 1. */
static void golden_record(const json_t *run)
{
    const json_t *spans = json_object_get(run, "spans"),
                 *counters = json_object_get(run, "counters");
    struct edge *edge = calloc(2 * json_array_size(spans), sizeof *edge);
    FILE *file = fopen("golden.jsonl", "w");
    size_t count = 0, i;
    json_t *span, *counter;
    head_print(file, 0, 4711, 1795289222.129575);
    json_array_foreach(spans, i, span)
    {
        struct edge begin = {.ns = number_at(span, "b", 0),
                             .begins = true,
                             .other_ns = number_at(span, "e", 0),
                             .thread = number_at(span, "tid", 0) - 4711,
                             .name = json_string_value(json_object_get(span, "name")),
                             .samples = number_at(json_object_get(span, "args"), "samples", -1)};
        struct edge end = begin;
        end.ns = begin.other_ns;
        end.other_ns = begin.ns;
        end.begins = false;
        edge[count++] = begin;
        edge[count++] = end;
    }
    qsort(edge, count, sizeof *edge, in_time);
    for (i = 0; i < count; i++)
        edge_print(file, &edge[i]);
    json_array_foreach(counters, i, counter)
    {
        fprintf(file,
                "{\"type\":\"metric\",\"t\":%" JSON_INTEGER_FORMAT
                ",\"name\":\"%s\",\"value\":%.17g}\n",
                json_integer_value(json_array_get(counter, 0)),
                json_string_value(json_array_get(counter, 1)),
                json_number_value(json_array_get(counter, 2)));
    }
    fputs("{\"type\":\"finish\",\"t\":48533668}\n", file);
    fclose(file);
    free(edge);
}

static void golden_expected(struct totals *expected, const json_t *run)
{
    const char *key;
    json_t *pair;
    memset(expected, 0, sizeof *expected);
    json_object_foreach((json_t *)json_object_get(run, "calls_and_total_ns"), key, pair)
    {
        struct total *total = &expected->item[expected->count++];
        bool loader = strncmp(key, "loader/", 7) == 0;
        *total = (struct total){.calls = json_integer_value(json_array_get(pair, 0)),
                                .total_ns = json_integer_value(json_array_get(pair, 1))};
        ck_assert_int_gt(
            asprintf(&total->key, "%s%s", loader ? "thread 1/" : "", loader ? key + 7 : key), 0);
    }
}

static const char *const formats[] = {"chrome", "perfetto", "torch", "xplane", "speedscope"};

/* Exports a log to the file out, or out.pb. */
static const char *exported(const char *log, const char *format, const char *more)
{
    char arguments[256];
    const char *out = strcmp(format, "xplane") == 0 ? "out.pb" : "out.json";
    snprintf(arguments, sizeof arguments, "export %s --format %s -o %s %s", log, format, out, more);
    ck_assert_msg(stepwatch(arguments) == 0, "%s: %s", arguments, command_output());
    return out;
}

START_TEST(every_format_has_the_calls_and_times_of_each_thread)
{
    struct totals expected, found;
    json_t *run = golden_json("timeline/run.json");
    golden_record(run);
    golden_expected(&expected, run);
    timeline_read(&found, formats[_i], exported("golden.jsonl", formats[_i], ""));
    timeline_same(&expected, &found, formats[_i]);
    if (strcmp(formats[_i], "chrome") == 0 || strcmp(formats[_i], "perfetto") == 0)
        ck_assert_int_eq(found.counters,
                         (int64_t)json_array_size(json_object_get(run, "counters")));
    if (strcmp(formats[_i], "xplane") == 0)
        ck_assert_int_eq(found.steps, 16);
    if (strcmp(formats[_i], "torch") == 0)
        ck_assert_int_eq(found.steps, 10);
    timeline_free(&expected);
    timeline_free(&found);
    json_decref(run);
}
END_TEST

/* The golden file calls thread 1 "loader". */
START_TEST(folded_stacks_are_those_of_the_golden_file)
{
    char path[512], expected[2048] = "", line[512];
    json_t *run = golden_json("timeline/run.json");
    golden_record(run);
    json_decref(run);
    exported("golden.jsonl", "folded", "");
    snprintf(path, sizeof path, "%s/tests/golden/timeline/timeline.folded", SRCDIR);
    FILE *golden = fopen(path, "r");
    ck_assert_ptr_nonnull(golden);
    while (fgets(line, sizeof line, golden))
        if (strncmp(line, "loader;", 7) != 0)
            strcat(expected, line);
        else
            ck_assert_str_eq(line, "loader;augment 7400\n");
    fclose(golden);
    strcat(expected, "thread_1;augment 7400\n");
    ck_assert_str_eq(host_file("out.json"), expected);
}
END_TEST

/* ---- some steps ------------------------------------------------------------------------------ */

START_TEST(some_steps_are_what_the_loop_did_in_them)
{
    struct totals found;
    json_t *run = golden_json("timeline/run.json");
    golden_record(run);
    json_decref(run);
    timeline_read(&found, formats[_i], exported("golden.jsonl", formats[_i], "--steps 1-2"));
    ck_assert_int_eq(timeline_calls(&found, "loop/batch"), 2);
    ck_assert_int_eq(timeline_calls(&found, "loop/forward"), 2);
    ck_assert_int_eq(timeline_calls(&found, "loop/draw"), 2);
    ck_assert_int_eq(timeline_calls(&found, "loop/train"), 1);
    ck_assert_int_eq(timeline_calls(&found, "loop/fit"), 1);
    ck_assert_int_eq(timeline_calls(&found, "loop/valid"), 0);
    if (strcmp(formats[_i], "speedscope") != 0)
        ck_assert_int_ge(found.cut, 3); /* fit, epoch, train */
    timeline_free(&found);
}
END_TEST

static const char *const firsts[] = {"{}",
                                     "[]",
                                     "1",
                                     "{\"type\":1}",
                                     "{\"t\":1}",
                                     "",
                                     "{",
                                     "{\"type\":\"run\"}",
                                     "{\"type\":\"begin\"}"};

START_TEST(a_log_that_begins_with_another_line_is_refused)
{
    char text[64];
    snprintf(text, sizeof text, "%s\n", firsts[_i]);
    host_close(host_open("table", "path: table.txt\n")); /* enters the scratch folder */
    file_write("odd.jsonl", text);
    ck_assert_int_eq(stepwatch("export odd.jsonl -o none.json"), 1);
    assert_printed("stepwatch export: odd.jsonl:1: ");
}
END_TEST

START_TEST(steps_that_the_log_does_not_have_are_refused)
{
    json_t *run = golden_json("timeline/run.json");
    golden_record(run);
    json_decref(run);
    ck_assert_int_eq(stepwatch("export golden.jsonl --steps 10-12 -o none.json"), 1);
    assert_printed("golden.jsonl: has no training step 10 to 12: it has 10 steps, from 0");
    ck_assert(!host_has("none.json"));
    ck_assert_int_eq(stepwatch("export golden.jsonl --steps 3-2 -o out.json"), 2);
    assert_printed("--steps 3-2 is not a range");
}
END_TEST

/* ---- ranks ----------------------------------------------------------------------------------- */

static void rank_record(const char *path, int rank, int pid, double started)
{
    FILE *file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    head_print(file, rank, pid, started);
    fputs("{\"type\":\"begin\",\"t\":1000,\"action\":\"draw\"}\n"
          "{\"type\":\"end\",\"t\":2000,\"action\":\"draw\"}\n"
          "{\"type\":\"begin\",\"t\":2000,\"action\":\"batch\"}\n"
          "{\"type\":\"end\",\"t\":5000,\"action\":\"batch\",\"samples\":8}\n"
          "{\"type\":\"finish\",\"t\":5000}\n",
          file);
    fclose(file);
}

/* The time of the first region of this name in a process, in ns. */
static int64_t begin_of(const json_t *whole, int64_t pid, const char *name)
{
    size_t i;
    json_t *event;
    json_array_foreach(json_object_get(whole, "traceEvents"), i, event)
    {
        if (number_at(event, "pid", -1) == pid && json_object_get(event, "dur") &&
            strcmp(json_string_value(json_object_get(event, "name")), name) == 0)
            return (int64_t)(json_real_value(json_object_get(event, "ts")) * 1000 + 0.5);
    }
    return -1;
}

START_TEST(ranks_are_processes_of_one_timeline_with_their_own_start)
{
    json_error_t wrong;
    rank_record("r1.jsonl", 1, 5000, 1795289222.5);
    rank_record("r0.jsonl", 0, 9000, 1795289223.0);
    ck_assert_int_eq(stepwatch("export r0.jsonl r1.jsonl -o out.json"), 0);
    json_t *whole = json_load_file("out.json", JSON_REJECT_DUPLICATES, &wrong);
    ck_assert_msg(whole != NULL, "%s", wrong.text);
    ck_assert_int_eq(begin_of(whole, 5000, "draw"), 1000);
    ck_assert_int_eq(begin_of(whole, 9000, "draw"), 500001000);
    json_decref(whole);
}
END_TEST

/* The ranks of two hosts leave 40 allreduces, one every 100 ms, at the same moments. The clock of
 * rank 1 is late_ns ahead when its run begins, and runs 20 ppm too fast. more: lines of the log. */
static void host_record(int rank, const char *wait, int64_t late_ns, const char *more)
{
    char path[32];
    snprintf(path, sizeof path, "r%d.jsonl", rank);
    FILE *file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    fprintf(file,
            "{\"type\":\"run\",\"version\":1,\"started\":%.6f,\"host\":\"node%d\",\"pid\":%d,"
            "\"detail\":\"regions\",\"rank\":%d,\"world_size\":2%s}\n%s",
            1795289222 + (double)late_ns / 1e9, rank, rank ? 9000 : 5000, rank, wait, more);
    for (int64_t step = 1; step <= 40; step++) {
        int64_t end_ns = step * 100000000;
        if (rank == 1)
            end_ns += end_ns * 20 / 1000000 + (step == 7 ? 3000000 : 0);
        fprintf(file,
                "{\"type\":\"begin\",\"t\":%" PRId64 ",\"action\":\"batch\"}\n"
                "{\"type\":\"begin\",\"t\":%" PRId64 ",\"action\":\"allreduce\"}\n"
                "{\"type\":\"end\",\"t\":%" PRId64 ",\"action\":\"allreduce\"}\n"
                "{\"type\":\"begin\",\"t\":%" PRId64 ",\"action\":\"step %" PRId64 "\"}\n"
                "{\"type\":\"end\",\"t\":%" PRId64 ",\"action\":\"step %" PRId64 "\"}\n"
                "{\"type\":\"end\",\"t\":%" PRId64 ",\"action\":\"batch\"}\n",
                end_ns - 50000000, end_ns - 20000000, end_ns, end_ns, step, end_ns + 1000, step,
                end_ns + 1000);
    }
    fputs("{\"type\":\"finish\",\"t\":5000000000}\n", file);
    fclose(file);
}

/* Returns how much later rank 1 begins the action than rank 0 in the timeline, in ns. */
static int64_t later_on_rank_1(const char *action)
{
    json_error_t wrong;
    json_t *whole = json_load_file("out.json", JSON_REJECT_DUPLICATES, &wrong);
    ck_assert_msg(whole != NULL, "%s", wrong.text);
    int64_t later_ns = begin_of(whole, 9000, action) - begin_of(whole, 5000, action);
    json_decref(whole);
    return later_ns;
}

START_TEST(hosts_are_aligned_by_the_ends_of_what_waits_for_all_ranks)
{
    host_record(0, ",\"wait\":[\"allreduce\"]", 0, "");
    host_record(1, ",\"wait\":[\"allreduce\"]", 46000000, "");
    ck_assert_int_eq(stepwatch("export r0.jsonl r1.jsonl -o out.json"), 0);
    assert_printed("were up to 46.0");
    assert_printed("corrected by the ends of the actions in wait");
    ck_assert_int_lt(llabs(later_on_rank_1("step 1")), 5000);
    ck_assert_int_lt(llabs(later_on_rank_1("step 40")), 5000);
}
END_TEST

START_TEST(hosts_are_aligned_by_what_mpi_measured)
{
    host_record(0, "", 0,
                "{\"type\":\"clock\",\"t\":0,\"clock_offset_ns\":0,\"clock_error_ns\":0}\n");
    host_record(1, "", 46000000,
                "{\"type\":\"clock\",\"t\":0,\"clock_offset_ns\":46000000,\"clock_error_ns\":900}\n"
                "{\"type\":\"clock\",\"t\":5000100000,\"clock_offset_ns\":46100000,"
                "\"clock_error_ns\":1100}\n");
    ck_assert_int_eq(stepwatch("export r0.jsonl r1.jsonl -o out.json"), 0);
    assert_printed("up to 46.00 ms apart and are corrected by what libstepwatch-mpi measured, "
                   "within 1.100 µs");
    ck_assert_int_lt(llabs(later_on_rank_1("step 1")), 3000);
    ck_assert_int_lt(llabs(later_on_rank_1("step 40")), 3000);
}
END_TEST

START_TEST(clocks_of_hosts_that_nothing_compares_are_said_to_differ)
{
    host_record(0, "", 0, "");
    host_record(1, "", 46000000, "");
    ck_assert_int_eq(stepwatch("export r0.jsonl r1.jsonl -o out.json"), 0);
    assert_printed("the clocks of the hosts were not compared");
    ck_assert_int_eq(system("grep -q 'clock: not compared with that of the other hosts' out.json"),
                     0);
    ck_assert_int_lt(llabs(later_on_rank_1("step 1") - 46002000), 1000);
}
END_TEST

START_TEST(ranks_with_one_pid_stay_apart)
{
    struct totals found;
    rank_record("r0.jsonl", 0, 77, 1795289222.5);
    rank_record("r1.jsonl", 1, 77, 1795289222.5);
    for (size_t i = 0; i < 2; i++) {
        char arguments[128];
        snprintf(arguments, sizeof arguments, "export r0.jsonl r1.jsonl --format %s -o out.json",
                 formats[i]);
        ck_assert_int_eq(stepwatch(arguments), 0);
        timeline_read(&found, formats[i], "out.json");
        ck_assert_int_eq(timeline_calls(&found, "loop/draw"), 2);
        timeline_free(&found);
    }
}
END_TEST

START_TEST(a_log_is_not_overwritten_by_its_timeline)
{
    rank_record("r0.jsonl", 0, 77, 1795289222.5);
    ck_assert_int_eq(system("ln -s r0.jsonl link && cp r0.jsonl before"), 0);
    ck_assert_int_eq(stepwatch("export r0.jsonl -o ./r0.jsonl"), 1);
    assert_printed("r0.jsonl is one of the exported run logs and would be overwritten");
    ck_assert_int_eq(stepwatch("export r0.jsonl -o link"), 1);
    ck_assert_int_eq(system("cmp r0.jsonl before && test -L link"), 0);
}
END_TEST

START_TEST(many_ranks_of_containers_which_all_have_one_pid_stay_apart)
{
    enum { RANKS = 600 };
    for (int i = 0; i < RANKS; i++) {
        char path[32];
        snprintf(path, sizeof path, "c%d.jsonl", i);
        rank_record(path, i, 7, 1795289222.5);
    }
    ck_assert_int_eq(stepwatch("export c*.jsonl -o out.json"), 0);
    ck_assert_int_eq(system("test $(grep -o '\"process_name\",\"pid\":[0-9]*' out.json | sort -u | "
                            "wc -l) = 600"),
                     0);
}
END_TEST

START_TEST(the_profile_page_gets_a_file_of_each_rank_in_one_session)
{
    rank_record("r0.jsonl", 0, 77, 1795289222.5);
    rank_record("r1.jsonl", 1, 78, 1795289222.9);
    ck_assert_int_eq(stepwatch("export r0.jsonl r1.jsonl --format xplane -o runs"), 0);
    ck_assert_int_eq(system("test $(ls -d runs/plugins/profile/* | wc -l) = 1"), 0);
    ck_assert_int_eq(system("ls runs/plugins/profile/*/rank0.xplane.pb "
                            "runs/plugins/profile/*/rank1.xplane.pb >list.txt"),
                     0);
    ck_assert_int_eq(stepwatch("export r0.jsonl r1.jsonl --format xplane"), 1);
    assert_printed("name a folder with -o FOLDER");
}
END_TEST

/* ---- what is odd ----------------------------------------------------------------------------- */

static void odd_record(const char *lines)
{
    FILE *file = fopen("odd.jsonl", "w");
    ck_assert_ptr_nonnull(file);
    head_print(file, 0, 4711, 1795289222.0);
    fputs(lines, file);
    fclose(file);
}

#define EDGE(type, t, action) "{\"type\":\"" type "\",\"t\":" #t ",\"action\":\"" action "\"}\n"

START_TEST(a_folder_gets_a_trace_of_torch_for_each_rank)
{
    rank_record("r0.jsonl", 0, 77, 1795289222.5);
    rank_record("r1.jsonl", 1, 78, 1795289222.9);
    ck_assert_int_eq(stepwatch("export r0.jsonl r1.jsonl --format torch -o traces"), 0);
    ck_assert_int_eq(
        system("ls traces/nodeA_77_rank0.*.pt.trace.json traces/nodeA_78_rank1.*.pt.trace.json "
               ">list.txt"),
        0);
    ck_assert_int_eq(stepwatch("export r0.jsonl r1.jsonl --format torch -o t.pt.trace.json"), 0);
    ck_assert_int_eq(system("ls t.rank0.pt.trace.json t.rank1.pt.trace.json >list.txt"), 0);
}
END_TEST

START_TEST(a_region_of_no_time_and_regions_that_begin_together_stay_nested)
{
    struct totals found;
    odd_record(EDGE("begin", 10, "fit") EDGE("begin", 10, "a") EDGE("begin", 10, "b")
                   EDGE("begin", 10, "c") EDGE("end", 10, "c") EDGE("end", 20, "b")
                       EDGE("end", 20, "a") EDGE("end", 20, "fit"));
    timeline_read(&found, formats[_i], exported("odd.jsonl", formats[_i], ""));
    ck_assert_int_eq(timeline_calls(&found, "loop/a"), 1);
    ck_assert_int_eq(timeline_calls(&found, "loop/c"), 1);
    ck_assert_uint_eq(found.count, 4);
    if (strcmp(formats[_i], "chrome") == 0) {
        /* The outer one comes first: a begin, not an event that is written at its end. */
        const char *text = host_file("out.json");
        const char *outer = strstr(text, "\"ph\":\"B\",\"name\":\"a\"");
        ck_assert_ptr_nonnull(outer);
        ck_assert(outer < strstr(text, "\"name\":\"c\""));
    }
    timeline_free(&found);
}
END_TEST

START_TEST(a_cancelled_region_ends_and_is_marked)
{
    struct totals found;
    odd_record(EDGE("begin", 0, "train") EDGE("begin", 10, "draw") EDGE("cancel", 30, "draw")
                   EDGE("begin", 40, "own") EDGE("end", 50, "train"));
    timeline_read(&found, formats[_i], exported("odd.jsonl", formats[_i], ""));
    ck_assert_int_eq(timeline_calls(&found, "loop/draw"), 1);
    ck_assert_int_eq(timeline_calls(&found, "loop/own"), 1);
    if (strcmp(formats[_i], "speedscope") != 0)
        ck_assert_int_eq(found.cancelled, 2);
    timeline_free(&found);
}
END_TEST

START_TEST(regions_of_a_killed_run_end_where_its_log_does)
{
    struct totals found;
    odd_record(EDGE("begin", 0, "fit") EDGE("begin", 10, "draw") EDGE("end", 30, "draw"));
    timeline_read(&found, formats[_i], exported("odd.jsonl", formats[_i], ""));
    assert_printed("the run did not finish");
    ck_assert_int_eq(timeline_calls(&found, "loop/fit"), 1);
    ck_assert_int_eq(found.item[0].total_ns + found.item[1].total_ns, 50);
    timeline_free(&found);
}
END_TEST

/* Also in a format that does not show it. */
static const char *const lasts[] = {
    "{\"type\":\"metric\",\"t\":50,\"step\":0,\"name\":\"loss\",\"value\":1}\n",
    "{\"type\":\"note\",\"t\":50,\"step\":0,\"text\":\"stopped\"}\n",
    "{\"type\":\"span_begin\",\"t\":50,\"id\":1,\"action\":\"reader\"}\n",
};

START_TEST(a_log_ends_with_its_last_value_note_or_span)
{
    struct totals found;
    odd_record(EDGE("begin", 0, "fit") EDGE("begin", 10, "draw") EDGE("end", 30, "draw"));
    FILE *file = fopen("odd.jsonl", "a");
    ck_assert_ptr_nonnull(file);
    fputs(lasts[_i % 3], file);
    fclose(file);
    timeline_read(&found, formats[_i / 3], exported("odd.jsonl", formats[_i / 3], ""));
    int64_t total_ns = 0;
    for (size_t i = 0; i < found.count; i++)
        total_ns += found.item[i].total_ns;
    ck_assert_int_eq(total_ns, 70);
    timeline_free(&found);
}
END_TEST

START_TEST(two_hundred_levels_nest)
{
    struct totals found;
    FILE *file = fopen("odd.jsonl", "w");
    head_print(file, 0, 4711, 1795289222.0);
    for (int i = 0; i < 200; i++)
        fprintf(file, "{\"type\":\"begin\",\"t\":%d,\"action\":\"level %d\"}\n", i, i);
    for (int i = 200; i-- > 0;)
        fprintf(file, "{\"type\":\"end\",\"t\":%d,\"action\":\"level %d\"}\n", 1000 - i, i);
    fclose(file);
    timeline_read(&found, formats[_i], exported("odd.jsonl", formats[_i], ""));
    ck_assert_uint_eq(found.count, 200);
    ck_assert_int_eq(timeline_calls(&found, "thread 0/level 199"), 1);
    timeline_free(&found);
}
END_TEST

START_TEST(sixty_four_threads_have_a_row_each)
{
    struct totals found;
    FILE *file = fopen("odd.jsonl", "w");
    head_print(file, 0, 4711, 1795289222.0);
    for (int i = 0; i < 64; i++)
        fprintf(file,
                "{\"type\":\"begin\",\"t\":5,\"action\":\"work\",\"thread\":%d}\n"
                "{\"type\":\"end\",\"t\":%d,\"action\":\"work\",\"thread\":%d}\n",
                i, 10 + i, i);
    fclose(file);
    timeline_read(&found, formats[_i], exported("odd.jsonl", formats[_i], ""));
    ck_assert_uint_eq(found.count, 64);
    timeline_free(&found);
}
END_TEST

/* Names as a program may have them: the log has bytes that are not UTF-8 as \xNN. */
START_TEST(odd_names_are_shown_and_the_file_stays_readable)
{
    struct totals found;
    static char lines[200000];
    static char longest[65536];
    memset(longest, 'x', sizeof longest - 1);
    snprintf(lines, sizeof lines,
             EDGE("begin", 1, "\\\"quote\\\" \\\\") EDGE("end", 2, "\\\"quote\\\" \\\\")
                 EDGE("begin", 3, "\xf0\x9f\x98\x80 \\u0001\\t")
                     EDGE("end", 4, "\xf0\x9f\x98\x80 \\u0001\\t") EDGE("begin", 5, "")
                         EDGE("end", 6, "") "{\"type\":\"begin\",\"t\":7,\"action\":\"%s\"}\n"
                                            "{\"type\":\"end\",\"t\":8,\"action\":\"%s\"}\n",
             longest, longest);
    odd_record(lines);
    timeline_read(&found, formats[_i], exported("odd.jsonl", formats[_i], ""));
    ck_assert_uint_eq(found.count, 4);
    ck_assert_int_eq(timeline_calls(&found, "thread 0/\"quote\" \\"), 1);
    ck_assert_int_eq(timeline_calls(&found, "thread 0/\xf0\x9f\x98\x80 \xef\xbf\xbd\t"), 1);
    ck_assert_int_eq(timeline_calls(&found, "thread 0/unnamed"), 1);
    timeline_free(&found);
}
END_TEST

START_TEST(a_pause_is_a_region_of_its_own)
{
    struct totals found;
    odd_record(EDGE(
        "begin", 0,
        "fit") "{\"type\":\"pause\",\"t\":10}\n{\"type\":\"resume\",\"t\":30}\n" EDGE("end", 50,
                                                                                      "fit"));
    timeline_read(&found, formats[_i], exported("odd.jsonl", formats[_i], ""));
    ck_assert_int_eq(timeline_calls(&found, "loop/paused"), 1);
    ck_assert_int_eq(timeline_calls(&found, "loop/fit"), 1);
    timeline_free(&found);
}
END_TEST

START_TEST(spans_and_notes_are_shown_beside_the_regions)
{
    struct totals found;
    odd_record(EDGE(
        "begin", 0,
        "fit") "{\"type\":\"span_begin\",\"t\":10,\"id\":1,\"action\":\"prefetch\"}\n"
               "{\"type\":\"span_begin\",\"t\":20,\"id\":2,\"action\":\"prefetch\"}\n"
               "{\"type\":\"span_end\",\"t\":30,\"id\":1,\"action\":\"prefetch\",\"thread\":1}\n"
               "{\"type\":\"span_end\",\"t\":40,\"id\":2,\"action\":\"prefetch\"}\n"
               "{\"type\":\"note\",\"t\":45,\"step\":0,\"text\":\"checkpoint \\\"1\\\"\"}\n" EDGE(
                   "end", 50, "fit"));
    timeline_read(&found, formats[_i], exported("odd.jsonl", formats[_i], ""));
    ck_assert_int_eq(timeline_calls(&found, "loop/fit"), 1);
    ck_assert_int_eq(found.spans, 2);
    ck_assert_int_eq(found.instants, 2); /* the run, and the note */
    timeline_free(&found);
}
END_TEST

START_TEST(each_window_of_a_log_has_its_steps_and_is_cut_at_its_end)
{
    struct totals found;
    odd_record("{\"type\":\"window_begin\",\"t\":100,\"window\":0,\"reason\":\"schedule\",\"step\":"
               "7}\n" EDGE("begin", 100, "train") EDGE("begin", 100, "draw")
                   EDGE("end", 110, "draw") EDGE("begin", 110, "batch")
                       EDGE("end", 150,
                            "batch") "{\"type\":\"window_end\",\"t\":150,\"window\":0,\"step\":8}\n"
                                     "{\"type\":\"window_begin\",\"t\":900,\"window\":1,\"reason\":"
                                     "\"schedule\",\"step\":20}\n" EDGE("begin", 900, "train")
                                         EDGE("begin", 900, "draw") EDGE("end", 910, "draw")
                                             EDGE("begin", 910, "batch")
                                                 EDGE("end", 950,
                                                      "batch") "{\"type\":\"window_end\",\"t\":950,"
                                                               "\"window\":1,\"step\":21}\n");
    timeline_read(&found, formats[_i], exported("odd.jsonl", formats[_i], ""));
    ck_assert_int_eq(timeline_calls(&found, "loop/train"), 2);
    ck_assert_int_eq(timeline_calls(&found, "loop/batch"), 2);
    for (size_t i = 0; i < found.count; i++)
        if (strcmp(found.item[i].key, "loop/train") == 0)
            ck_assert_int_eq(found.item[i].total_ns, 100);
    timeline_free(&found);
    exported("odd.jsonl", "chrome", "--steps 20-20");
    ck_assert_ptr_nonnull(strstr(host_file("out.json"), "\"step\":20"));
    ck_assert_ptr_null(strstr(host_file("out.json"), "\"step\":7"));
}
END_TEST

/* Records single steps of two epochs of 4 steps: the third and the sixth of the run. */
static void windows_record(void)
{
    struct host *host =
        host_open_log("regions", "mode: simple\nschedule: {wait: 2, active: 1, repeat: 2}\n");
    struct sw_profiler *sw = host_profiler(host);
    for (int i = 0; i < 8; i++) {
        if (i % 4 == 0) {
            sw_begin(sw, SW_EPOCH);
            sw_begin(sw, SW_TRAIN);
        }
        sw_begin(sw, SW_BATCH);
        host_wait(host, 10);
        sw_end_batch(sw, 1);
        if (i % 4 == 3) {
            sw_end(sw, SW_TRAIN);
            sw_end(sw, SW_EPOCH);
        }
    }
    host_close(host);
}

START_TEST(a_step_of_a_window_has_its_number_within_its_epoch)
{
    struct totals found;
    windows_record();
    timeline_read(&found, "xplane", exported("run.jsonl", "xplane", ""));
    ck_assert_str_eq(found.labels, "train 0.2 train 1.1 ");
    timeline_free(&found);
}
END_TEST

START_TEST(a_day_keeps_its_nanoseconds)
{
    struct totals found;
    odd_record(EDGE("begin", 1, "fit") EDGE("begin", 86400000000457, "own")
                   EDGE("end", 86400000000460, "own") EDGE("end", 86400000000461, "fit"));
    timeline_read(&found, formats[_i], exported("odd.jsonl", formats[_i], ""));
    for (size_t i = 0; i < found.count; i++)
        ck_assert_int_eq(found.item[i].total_ns,
                         strcmp(found.item[i].key, "loop/own") == 0 ? 3 : 86400000000460);
    timeline_free(&found);
}
END_TEST

/* torch's viewer adds doubles, whose sum was above the begin of the next slice for these numbers.
 */
START_TEST(no_slice_of_torch_reaches_into_the_next_when_doubles_are_added)
{
    enum { REGIONS = 300 };
    FILE *file = fopen("rounded.jsonl", "w");
    ck_assert_ptr_nonnull(file);
    head_print(file, 0, 4711, 1795289222.0);
    int64_t at = 45871283;
    for (int i = 0; i < REGIONS; i++) {
        const char *name = i % 2 ? "loss" : "forward";
        fprintf(file, "{\"type\":\"begin\",\"t\":%" PRId64 ",\"action\":\"%s\"}\n", at, name);
        at += i % 2 ? 7160 : 855345;
        fprintf(file, "{\"type\":\"end\",\"t\":%" PRId64 ",\"action\":\"%s\"}\n", at, name);
    }
    fclose(file);
    json_error_t wrong;
    json_t *trace = json_load_file(exported("rounded.jsonl", "torch", ""), 0, &wrong), *event;
    size_t i, seen = 0;
    double end = 0;
    json_array_foreach(json_object_get(trace, "traceEvents"), i, event)
    {
        if (strcmp(json_string_value(json_object_get(event, "ph")), "X") != 0)
            continue;
        double begin = json_number_value(json_object_get(event, "ts"));
        ck_assert_msg(end <= begin, "slice %zu begins %g before the last one ends", seen,
                      end - begin);
        end = begin + json_number_value(json_object_get(event, "dur"));
        seen++;
    }
    ck_assert_uint_eq(seen, REGIONS);
    json_decref(trace);
}
END_TEST

static bool has_bytes(const char *data, size_t size, const char *text)
{
    return memmem(data, size, text, strlen(text)) != NULL;
}

/* A list of lists of numbers as such, any other text as a text; in each format that has it. */
START_TEST(a_region_has_the_shape_of_its_input)
{
    static const char *const shaped[] = {"chrome", "torch"};
    FILE *file = fopen("shaped.jsonl", "w");
    ck_assert_ptr_nonnull(file);
    head_print(file, 0, 4711, 1795289222.0);
    fputs("{\"type\":\"begin\",\"t\":10,\"action\":\"forward\",\"shape\":\"[[64, 128], []]\"}\n"
          "{\"type\":\"begin\",\"t\":20,\"action\":\"own\",\"shape\":\"long \\\"one\\\"\"}\n"
          "{\"type\":\"end\",\"t\":30,\"action\":\"own\",\"shape\":\"long \\\"one\\\"\"}\n"
          "{\"type\":\"begin\",\"t\":40,\"action\":\"loss\",\"shape\":\"[[1],]\"}\n"
          "{\"type\":\"end\",\"t\":50,\"action\":\"loss\"}\n"
          "{\"type\":\"end\",\"t\":60,\"action\":\"forward\"}\n",
          file);
    fclose(file);
    for (size_t i = 0; i < 2; i++) {
        const char *text = host_file(exported("shaped.jsonl", shaped[i], ""));
        ck_assert_ptr_nonnull(strstr(text, "\"Input Dims\":[[64, 128], []]"));
        ck_assert_ptr_nonnull(strstr(text, "\"Input Dims\":\"long \\\"one\\\"\""));
        ck_assert_ptr_nonnull(strstr(text, "\"Input Dims\":\"[[1],]\""));
    }
    size_t size;
    char *xplane = scratch_read(exported("shaped.jsonl", "xplane", ""), &size);
    ck_assert(has_bytes(xplane, size, "tensor_shapes"));
    ck_assert(has_bytes(xplane, size, "[[64, 128], []]"));
    ck_assert(has_bytes(xplane, size, "long \"one\""));
    free(xplane);
}
END_TEST

/* tokens: 5 + 7 in forward, of which 7 in own; peak and net in bytes; what could not be read is
 * left out of the regions that were open then. */
static void counted_log(void)
{
    FILE *file = fopen("counted.jsonl", "w");
    ck_assert_ptr_nonnull(file);
    fputs(
        "{\"type\":\"run\",\"version\":1,\"name\":\"x\",\"host\":\"h\",\"pid\":4711,"
        "\"started\":1795289222.0,\"detail\":\"regions\",\"t\":0,\"counters\":[{\"name\":\"net\","
        "\"kind\":\"sum\",\"unit\":\"B\"},{\"name\":\"peak\",\"kind\":\"peak\",\"unit\":\"B\"}]}\n"
        "{\"type\":\"begin\",\"t\":10,\"action\":\"forward\",\"c\":[3]}\n"
        "{\"type\":\"counter\",\"name\":\"tokens\",\"kind\":\"sum\",\"unit\":\"\"}\n"
        "{\"type\":\"begin\",\"t\":20,\"action\":\"own\",\"c\":[100,5]}\n"
        "{\"type\":\"end\",\"t\":30,\"action\":\"own\",\"c\":[-40,7],\"p\":[60]}\n"
        "{\"type\":\"end\",\"t\":40,\"action\":\"forward\",\"c\":[0,0],\"p\":[104]}\n"
        "{\"type\":\"begin\",\"t\":50,\"action\":\"loss\",\"c\":[0,0]}\n"
        "{\"type\":\"end\",\"t\":60,\"action\":\"loss\",\"c\":[null,2],\"p\":[null]}\n",
        file);
    fclose(file);
}

START_TEST(a_region_has_what_it_used_of_each_counter)
{
    static const char *const shaped[] = {"chrome", "torch"};
    counted_log();
    for (size_t i = 0; i < 2; i++) {
        const char *text = host_file(exported("counted.jsonl", shaped[i], ""));
        ck_assert_msg(strstr(text, "\"net\":60,\"tokens\":12,\"peak\":104"), "%s", text);
        ck_assert_msg(strstr(text, "\"net\":-40,\"tokens\":7,\"peak\":60"), "%s", text);
        ck_assert_msg(strstr(text, "\"tokens\":2"), "%s", text);
    }
    const char *text = host_file(exported("counted.jsonl", "chrome", ""));
    ck_assert_msg(strstr(text, "\"name\":\"net memory of thread 0\""), "%s", text);
    ck_assert_msg(strstr(text, "{\"value\":103.0}"), "%s", text);
    ck_assert_msg(strstr(text, "{\"value\":63.0}"), "%s", text);
    size_t size;
    char *perfetto = scratch_read(exported("counted.jsonl", "perfetto", ""), &size);
    ck_assert(has_bytes(perfetto, size, "tokens"));
    ck_assert(has_bytes(perfetto, size, "net memory of thread 0"));
    free(perfetto);
}
END_TEST

START_TEST(a_log_without_regions_is_refused_with_what_to_do)
{
    run_record("steps");
    ck_assert_int_eq(stepwatch("export run.jsonl -o none.json"), 1);
    assert_printed("was recorded with detail: steps");
    assert_printed("runlog: { detail: regions }");
    ck_assert(!host_has("none.json"));
    ck_assert_int_eq(stepwatch("export missing.jsonl"), 1);
    assert_printed("missing.jsonl: cannot be read");
    ck_assert_int_eq(stepwatch("export run.jsonl --format pdf"), 2);
    assert_printed(
        "--format pdf is not one of chrome, perfetto, xplane, torch, folded, speedscope");
}
END_TEST

START_TEST(a_name_that_ends_with_gz_is_compressed)
{
    struct totals found;
    run_record("regions");
    ck_assert_int_eq(stepwatch("export run.jsonl -o deep/out.json.gz"), 0);
    ck_assert_int_eq(system("gzip -t deep/out.json.gz && gunzip deep/out.json.gz"), 0);
    timeline_read(&found, "chrome", "deep/out.json");
    ck_assert_int_eq(timeline_calls(&found, "loop/batch"), 21);
    timeline_free(&found);
}
END_TEST

/* A log may come from anybody, and its host is part of the names of files. */
START_TEST(the_name_of_a_host_leads_to_no_other_folder)
{
    static const char *const named[] = {"torch", "xplane"};
    char command[128];
    run_record("regions");
    ck_assert_int_eq(system("sed -i '1s|\"host\":\"[^\"]*\"|\"host\":\"../../../../../there\"|' "
                            "run.jsonl && mkdir -p a/b/c/d/e/f"),
                     0);
    snprintf(command, sizeof command, "export run.jsonl --format %s -o a/b/c/d/e/f/", named[_i]);
    ck_assert_int_eq(stepwatch(command), 0);
    ck_assert_int_eq(system("test $(find a/b/c/d/e/f -name '*there*' | wc -l) = 1 &&"
                            " test $(find a -name '*there*' | wc -l) = 1"),
                     0);
}
END_TEST

/* ---- the tree -------------------------------------------------------------------------------- */

START_TEST(the_tree_has_total_self_calls_and_the_share_of_the_parent)
{
    odd_record(EDGE("begin", 0, "fit") EDGE("begin", 0, "train") EDGE("begin", 1000000, "draw")
                   EDGE("end", 3000000, "draw") EDGE("begin", 3000000, "draw")
                       EDGE("cancel", 3500000, "draw") EDGE("end", 8000000, "train")
                           EDGE("end", 10000000, "fit") "{\"type\":\"finish\",\"t\":10000000}\n");
    ck_assert_int_eq(stepwatch("report odd.jsonl --style tree"), 0);
    ck_assert_str_eq(command_output(),
                     "Region                         Total        Self       Calls  % of Parent\n"
                     "loop\n"
                     "  fit                       10.00 ms    2.000 ms           1       100.0%\n"
                     "    train                   8.000 ms    5.500 ms           1        80.0%\n"
                     "      draw                  2.000 ms    2.000 ms           1        25.0%\n");
    ck_assert_int_eq(stepwatch("report odd.jsonl --style tree --json"), 2);
    ck_assert_int_eq(stepwatch("report odd.jsonl --style bush"), 2);
}
END_TEST

static void in_scratch(void)
{
    scratch_enter();
}

SUITE(export)
{
    enum { FORMATS = sizeof formats / sizeof *formats };
    tcase_add_checked_fixture(tc, in_scratch, NULL);
    tcase_add_loop_test(tc, every_format_has_the_calls_and_times_of_each_thread, 0, FORMATS);
    tcase_add_test(tc, folded_stacks_are_those_of_the_golden_file);
    tcase_add_loop_test(tc, some_steps_are_what_the_loop_did_in_them, 0, FORMATS);
    tcase_add_loop_test(tc, a_log_that_begins_with_another_line_is_refused, 0,
                        sizeof firsts / sizeof *firsts);
    tcase_add_test(tc, steps_that_the_log_does_not_have_are_refused);
    tcase_add_test(tc, ranks_are_processes_of_one_timeline_with_their_own_start);
    tcase_add_test(tc, hosts_are_aligned_by_the_ends_of_what_waits_for_all_ranks);
    tcase_add_test(tc, hosts_are_aligned_by_what_mpi_measured);
    tcase_add_test(tc, clocks_of_hosts_that_nothing_compares_are_said_to_differ);
    tcase_add_test(tc, ranks_with_one_pid_stay_apart);
    tcase_add_test(tc, a_log_is_not_overwritten_by_its_timeline);
    tcase_add_test(tc, many_ranks_of_containers_which_all_have_one_pid_stay_apart);
    tcase_add_test(tc, the_profile_page_gets_a_file_of_each_rank_in_one_session);
    tcase_add_test(tc, a_folder_gets_a_trace_of_torch_for_each_rank);
    tcase_add_loop_test(tc, a_region_of_no_time_and_regions_that_begin_together_stay_nested, 0,
                        FORMATS);
    tcase_add_loop_test(tc, a_cancelled_region_ends_and_is_marked, 0, FORMATS);
    tcase_add_loop_test(tc, regions_of_a_killed_run_end_where_its_log_does, 0, FORMATS);
    tcase_add_loop_test(tc, a_log_ends_with_its_last_value_note_or_span, 0, 3 * FORMATS);
    tcase_add_loop_test(tc, two_hundred_levels_nest, 0, FORMATS);
    tcase_add_loop_test(tc, sixty_four_threads_have_a_row_each, 0, FORMATS);
    tcase_add_loop_test(tc, odd_names_are_shown_and_the_file_stays_readable, 0, FORMATS);
    tcase_add_loop_test(tc, a_pause_is_a_region_of_its_own, 0, FORMATS);
    tcase_add_loop_test(tc, spans_and_notes_are_shown_beside_the_regions, 0, 2);
    tcase_add_loop_test(tc, each_window_of_a_log_has_its_steps_and_is_cut_at_its_end, 0, FORMATS);
    tcase_add_test(tc, a_step_of_a_window_has_its_number_within_its_epoch);
    tcase_add_loop_test(tc, a_day_keeps_its_nanoseconds, 0, FORMATS);
    tcase_add_test(tc, no_slice_of_torch_reaches_into_the_next_when_doubles_are_added);
    tcase_add_test(tc, a_region_has_the_shape_of_its_input);
    tcase_add_test(tc, a_region_has_what_it_used_of_each_counter);
    tcase_add_test(tc, a_log_without_regions_is_refused_with_what_to_do);
    tcase_add_test(tc, a_name_that_ends_with_gz_is_compressed);
    tcase_add_loop_test(tc, the_name_of_a_host_leads_to_no_other_folder, 0, 2);
    tcase_add_test(tc, the_tree_has_total_self_calls_and_the_share_of_the_parent);
}
