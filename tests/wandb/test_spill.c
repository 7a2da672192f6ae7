/* SPDX-License-Identifier: MIT */
/* test_spill.c - a run's file that cannot be written: its rows go on to the service from memory,
 * the run ends there as the program ends, and it is marked as uploaded only where the file has all
 * that it should and all of it was taken. */
#include "sinks/wandb/file/leveldb_log.h"
#include "sinks/wandb/upload/upload.h"
#include "tests/support/scratch.h"
#include "tests/support/suite.h"
#include "tests/wandb/online.h"

#include <stepwatch/wandb.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- the parts ------------------------------------------------------------------------------- */

struct seen {
    int count;
    size_t bytes;
};

static bool see(void *arg, const unsigned char *record, size_t size)
{
    struct seen *seen = arg;
    for (size_t i = 0; i < size; i++)
        ck_assert_int_eq(record[i], (seen->count * 7 + (int)i) & 0xff);
    seen->count++;
    seen->bytes += size;
    return seen->count < 50;
}

/* Some are in several chunks, and some end where a block has no room for another head. */
START_TEST(what_waits_for_the_disk_is_read_record_by_record)
{
    static unsigned char record[70000];
    struct swi_wandb_log log;
    struct sw_error err;
    struct seen seen = {0};
    size_t bytes = 0;
    scratch_enter();
    ck_assert_int_eq(swi_wandb_log_open(&log, "log", &err), 0);
    for (int k = 0; k < 60; k++) {
        size_t size = k % 9 == 8 ? 70000 : (size_t)(k * 997 % 32768);
        for (size_t i = 0; i < size; i++)
            record[i] = (unsigned char)(k * 7 + (int)i);
        ck_assert(swi_wandb_log_add(&log, record, size));
        bytes += k < 50 ? size : 0;
    }
    swi_wandb_log_draft(&log, "draft", 5);
    swi_wandb_log_each(&log, see, &seen);
    ck_assert_int_eq(seen.count, 50);
    ck_assert_uint_eq(seen.bytes, bytes);
    ck_assert_int_eq(swi_wandb_log_close(&log, &err), 0);
}
END_TEST

/* The bytes of a row, of its number alone. */
static size_t row_bytes(unsigned char bytes[64], int number)
{
    struct swi_record_message record = {0};
    struct swi_history_message history = {0};
    record.num = number;
    record.what = SWI_RECORD_HISTORY;
    record.history = &history;
    struct swi_text packed = {0};
    swi_record_message_add(&packed, &record);
    size_t size = packed.size;
    memcpy(bytes, packed.data, size);
    swi_text_free(&packed);
    return size;
}

static int64_t next(struct swi_spill *spill, int64_t after)
{
    int64_t number;
    struct swi_record_message *record = swi_spill_get(spill, after, &number);
    ck_assert_int_eq(record->num, number);
    swi_message_free(record);
    return number;
}

START_TEST(records_are_taken_by_their_numbers_until_there_is_no_room)
{
    unsigned char bytes[64];
    struct swi_spill spill;
    int count = 0;
    swi_spill_init(&spill);
    while (swi_spill_put(&spill, count + 5, bytes, row_bytes(bytes, count + 5)))
        count++;
    ck_assert_int_gt(count, 10000);
    ck_assert_uint_le(spill.bytes, SWI_SPILL_HELD);
    ck_assert_int_eq(next(&spill, 0), 5);
    ck_assert_int_eq(next(&spill, 7), 8);
    swi_spill_forget(&spill, 9);
    ck_assert_int_eq(next(&spill, 0), 10);
    /* There is room again; the end of a run has room even if rows have none. */
    count += 5;
    while (swi_spill_put(&spill, count, bytes, row_bytes(bytes, count)))
        count++;
    ck_assert(swi_spill_put(&spill, count, "\x08\x05\x92\x01\x00", 5));
    swi_spill_fini(&spill);
}
END_TEST

/* ---- a whole run ----------------------------------------------------------------------------- */

enum { ROWS = 3000, ROOM = 64 << 10 };

static const char yaml[] = "profiler: {show_report: false, close_timeout: 100s}\n"
                           "logger_callback:\n"
                           "  - wandb: {mode: online, run_id: abc, project: demo, interval: 100ms, "
                           "system: false}\n";

/* No file of it may get longer than that: to the sink it is a disk without room. */
static void program(long room, int status)
{
    struct sw_error err;
    struct rlimit limit = {.rlim_cur = (rlim_t)room, .rlim_max = (rlim_t)room};
    signal(SIGXFSZ, SIG_IGN);
    struct sw_profiler *sw = setrlimit(RLIMIT_FSIZE, &limit) == 0 ? sw_open_text(yaml, &err) : NULL;
    if (!sw)
        _exit(99);
    sw_set_messages(sw, NULL, NULL);
    for (int i = 0; i < ROWS; i++) {
        sw_begin(sw, SW_BATCH);
        sw_log(sw, "loss", i);
        sw_end_batch(sw, 1);
        usleep(500);
    }
    sw_set_exit_status(sw, status);
    _exit(sw_close(sw, &err) < 0 ? 1 : 0);
}

static int run_with(long room, int status)
{
    int how;
    pid_t child = fork();
    if (child == 0)
        program(room, status);
    ck_assert_int_eq(waitpid(child, &how, 0), child);
    return WIFEXITED(how) ? WEXITSTATUS(how) : -1;
}

static const char *text_at(json_t *json, const char *name)
{
    const char *text = json_string_value(json_object_get(json, name));
    return text ? text : "";
}

static void run_is_whole(json_t *state, int status)
{
    json_t *run = service_run(state), *line;
    json_t *lines = json_object_get(json_object_get(run, "lines"), "wandb-history.jsonl");
    size_t i, losses = 0;
    json_array_foreach(lines, i, line)
    {
        json_t *row = json_loads(json_string_value(line), 0, NULL);
        const json_t *loss = json_object_get(row, "loss");
        if (loss)
            ck_assert_double_eq(json_number_value(loss), (double)losses++);
        json_decref(row);
    }
    ck_assert_uint_eq(losses, ROWS);
    ck_assert_uint_eq(json_array_size(json_object_get(run, "rewritten")), 0);
    ck_assert_str_eq(text_at(run, "state"), status ? "failed" : "finished");
    ck_assert_int_eq(json_integer_value(json_object_get(run, "exitcode")), status);
}

static const struct {
    long room;
    int status;
} disks[] = {{ROOM, 0}, {ROOM, 7}, {0, 0}};

/* Also where there was room for nothing at all. */
SERVICE_TEST(rows_go_on_from_memory_and_the_run_ends_as_the_program_does, "--no-bodies")
{
    struct sw_error err;
    ck_assert_int_eq(run_with(disks[_i].room, disks[_i].status), 1);
    json_auto_t *state = service_state(service);
    run_is_whole(state, disks[_i].status);
    ck_assert(!host_has("wandb/latest-run/run-abc.wandb.synced"));
    if (!disks[_i].room)
        return;
    ck_assert_msg(sw_wandb_sync("wandb/latest-run", NULL, NULL, &err) == 0, "%s",
                  sw_error_text(&err));
    json_auto_t *after = service_state(service);
    run_is_whole(after, disks[_i].status);
}

/* ---- files that are not taken ---------------------------------------------------------------- */

SERVICE_TEST(a_run_whose_files_were_not_taken_is_not_marked_until_they_are, "")
{
    struct sw_wandb_result result = {.size = sizeof result};
    struct sw_error err;
    service_say(service, "fault 403 on=storage");
    struct host *host = online_open("", "100s");
    host_fit(host, 5);
    host_close(host);
    ck_assert(!host_has("wandb/latest-run/run-abc.wandb.synced"));
    ck_assert_msg(strstr(host_messages(host), "upload what is missing with: stepwatch sync /") !=
                      NULL,
                  "%s", host_messages(host));
    service_say(service, "clear");
    ck_assert_msg(sw_wandb_sync("wandb/latest-run", NULL, &result, &err) == 0, "%s",
                  sw_error_text(&err));
    ck_assert_int_eq(result.rows_sent, 0);
    ck_assert_int_ge((int)result.files, 6);
    ck_assert(host_has("wandb/latest-run/run-abc.wandb.synced"));
    json_auto_t *state = service_state(service);
    ck_assert_str_eq(text_at(service_run(state), "state"), "finished");
    ck_assert_uint_ge(json_object_size(json_object_get(service_run(state), "files")), 6);
}

SUITE(wandb_spill)
{
    tcase_set_timeout(tc, 300);
    tcase_add_test(tc, what_waits_for_the_disk_is_read_record_by_record);
    tcase_add_test(tc, records_are_taken_by_their_numbers_until_there_is_no_room);
    tcase_add_loop_test(tc, rows_go_on_from_memory_and_the_run_ends_as_the_program_does, 0,
                        sizeof disks / sizeof *disks);
    tcase_add_test(tc, a_run_whose_files_were_not_taken_is_not_marked_until_they_are);
}
