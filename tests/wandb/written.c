/* SPDX-License-Identifier: MIT */
#include "tests/wandb/written.h"
#include "sinks/wandb/file/run_records.h"
#include "sinks/wandb/file/record_messages.h"
#include "tests/support/scratch.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static void folder_make(const char *folder)
{
    char path[256];
    mkdir(folder, 0755);
    snprintf(path, sizeof path, "%s/files", folder);
    mkdir(path, 0755);
    snprintf(path, sizeof path, "%s/files/media", folder);
    mkdir(path, 0755);
    snprintf(path, sizeof path, "%s/files/media/a.table.json", folder);
    scratch_write(path, "{\"columns\":[],\"data\":[]}", 24);
    snprintf(path, sizeof path, "%s/files/output.log", folder);
    scratch_write(path, "hello\nworld\n", 12);
}

static void begin(struct swi_records *records, const struct written *run)
{
    const char *const tags[] = {run->tag, NULL};
    const struct swi_run_message about = {
        .run_id = run->id, .project = "demo", .run_group = run->group, .tags = tags};
    const struct swi_metric_options_message defined = {.defined = true},
                                            follows = {.step_sync = true};
    struct swi_fields row = {0};
    swi_records_header(records, "test 1.0");
    swi_records_run(records, about, "test", run->wall_s - 1, NULL);
    swi_fields_number(&row, "lr", 0.5);
    swi_records_config(records, &row);
    swi_records_metric(records, &(struct swi_metric_message){.name = "epoch", .options = &defined});
    swi_records_metric(records, &(struct swi_metric_message){.glob_name = "valid/*",
                                                             .step_metric = "epoch",
                                                             .options = &follows});
    swi_fields_free(&row);
}

static void history(struct swi_records *records, const struct written *run, int i)
{
    struct swi_fields row = {0};
    swi_fields_number(&row, "loss", 1.0 / (i + 1));
    if (i && i == run->long_row)
        swi_text_fill(swi_fields_set(&row, "long"), '1', SWI_ROW_MAX);
    swi_fields_integer(&row, "_step", run->step + i);
    swi_fields_number(&row, "_runtime", i + 1);
    swi_fields_number(&row, "_timestamp", run->wall_s + i);
    swi_records_history(records, &row, run->step + i);
    swi_fields_free(&row);
}

/* The sink writes none. */
static void alert(struct swi_records *records, int number)
{
    char title[32];
    struct swi_record_message record = {0};
    struct swi_alert_message about = {0};
    snprintf(title, sizeof title, "alert %d", number);
    about.title = title;
    about.level = number == 1 ? "WARN" : "INFO";
    record.alert = &about;
    swi_records_add(records, &record, SWI_RECORD_ALERT);
    ck_assert_int_eq(records->lost, 0);
}

/* Records that only other clients write, behind the first row. */
static void foreign(struct swi_records *records, const struct written *run)
{
    const char *const tags[] = {"new", "tags"};
    struct swi_record_message record = {0};
    struct swi_run_message about = {0};
    record.preempting.data = "";
    if (run->preempting)
        swi_records_add(records, &record, SWI_RECORD_PREEMPTING);
    about.run_id = run->id;
    about.display_name = run->renamed;
    about.notes = "found later";
    about.tags = tags;
    about.n_tags = 2;
    record.run = &about;
    if (run->renamed)
        swi_records_add(records, &record, SWI_RECORD_RUN);
}

static void end(struct swi_records *records, const struct written *run)
{
    struct swi_record_message record = {0};
    struct swi_run_exit_message about = {.exit_code = run->exit_code, .not_complete = run->goes_on};
    record.exit = &about;
    swi_records_add(records, &record, SWI_RECORD_EXIT);
}

static void statistics(struct swi_records *records, const struct written *run, int i)
{
    struct swi_fields row = {0};
    swi_fields_number(&row, "cpu", 50);
    swi_records_stats(records, &row, run->wall_s + i);
    swi_fields_free(&row);
}

static void results(struct swi_records *records, const struct written *run)
{
    struct swi_fields row = {0};
    swi_fields_number(&row, "loss", 1.0 / run->rows);
    swi_fields_integer(&row, "_step", run->step + run->rows - 1);
    swi_records_summary(records, &row);
    swi_records_output(records, "hello\nwor", false, run->wall_s);
    swi_records_output(records, "ld\n", false, run->wall_s);
    swi_records_file(records, "media/a.table.json", SWI_FILE_OF_VALUE);
    swi_records_file(records, "output.log", SWI_FILE_OF_RUN);
    swi_fields_free(&row);
}

void written_make(const char *folder, const struct written *run)
{
    struct swi_records records = {0};
    struct sw_error err;
    char path[256];
    folder_make(folder);
    snprintf(path, sizeof path, "%s/run-%s.wandb", folder, run->id);
    ck_assert_int_eq(swi_wandb_log_open(&records.log, path, &err), 0);
    begin(&records, run);
    for (int i = 0; i < run->rows; i++) {
        if (i % 10 == 0)
            statistics(&records, run, i);
        history(&records, run, i);
        if (i == 0)
            foreign(&records, run);
        if (i < run->alerts)
            alert(&records, i + 1);
        if (i % 1000 == 999 || i == run->long_row)
            ck_assert_int_eq(swi_wandb_log_flush(&records.log, &err), 0);
    }
    if (!run->bare)
        results(&records, run);
    if (!run->torn)
        end(&records, run);
    ck_assert_int_eq(swi_wandb_log_close(&records.log, &err), 0);
    swi_records_free(&records);
}
