/* SPDX-License-Identifier: MIT */
#include "tools/uploads/outcome.h"

#include "tools/output/text.h"

#include <inttypes.h>
#include <stdio.h>

/* ---- for people ------------------------------------------------------------------------------ */

static void print_rows(const struct outcome *outcome, bool dry_run)
{
    char rows[TEXT_NUMBER], sent[TEXT_NUMBER];
    printf(", %s rows", text_count(rows, (double)outcome->rows));
    if (!dry_run)
        printf(" (%s new)", text_count(sent, (double)outcome->rows_sent));
}

static void print_counts(const struct outcome *outcome, bool dry_run)
{
    char values[TEXT_NUMBER];
    if (outcome->rows >= 0)
        print_rows(outcome, dry_run);
    else
        printf(", %s values", text_count(values, (double)outcome->values_sent));
    printf(", %" PRId64 " files", outcome->files);
    if (outcome->files_failed)
        printf(" (%" PRId64 " failed)", outcome->files_failed);
}

static void print_end(const struct outcome *outcome)
{
    if (outcome->state == SW_WANDB_FINISHED)
        printf(", exit status %d", outcome->exit_code);
    else
        printf(outcome->state == SW_WANDB_TORN ? ", was killed" : ", still running");
    if (outcome->torn_bytes)
        printf(", %" PRId64 " bytes of an unfinished record at the end", outcome->torn_bytes);
    if (outcome->skipped)
        printf(", %" PRId64 " skipped", outcome->skipped);
}

static void print_upload(const struct outcome *outcome, bool dry_run)
{
    fputs(dry_run ? "run " : "", stdout);
    text_shown(stdout, dry_run ? outcome->id : outcome->url, 0);
    print_counts(outcome, dry_run);
    print_end(outcome);
}

void outcome_print(const struct outcome *outcome, bool dry_run)
{
    text_shown(stdout, outcome->path, 0);
    fputs(": ", stdout);
    if (outcome->state == SW_WANDB_SYNCED)
        fputs("is already uploaded; --again uploads what is missing", stdout);
    else if (outcome->state == SW_WANDB_WRITTEN)
        fputs("its program is still writing it; --include-live uploads what exists so far", stdout);
    else
        print_upload(outcome, dry_run);
    putchar('\n');
    fflush(stdout);
}

/* ---- for programs ---------------------------------------------------------------------------- */

static const char *const states[] = {
    [SW_WANDB_FINISHED] = "finished", [SW_WANDB_TORN] = "killed",     [SW_WANDB_LIVE] = "live",
    [SW_WANDB_SYNCED] = "synced",     [SW_WANDB_WRITTEN] = "written",
};

static void number_set(json_t *object, const char *key, int64_t value)
{
    json_object_set_new(object, key, json_integer(value));
}

static void counts_set(json_t *object, const struct outcome *outcome)
{
    number_set(object, "exit_code", outcome->exit_code);
    if (outcome->rows >= 0) {
        number_set(object, "rows", outcome->rows);
        number_set(object, "rows_sent", outcome->rows_sent);
    } else
        number_set(object, "values_sent", outcome->values_sent);
    number_set(object, "files", outcome->files);
    number_set(object, "files_failed", outcome->files_failed);
    number_set(object, "skipped", outcome->skipped);
    number_set(object, "torn_bytes", outcome->torn_bytes);
}

json_t *outcome_json(const struct outcome *outcome, const struct sw_error *err)
{
    json_t *object = json_object();
    const char *state = err->code ? "failed" : states[outcome->state];
    json_object_set_new(object, "path", text_json(outcome->path));
    json_object_set_new(object, "id", text_json(outcome->id));
    json_object_set_new(object, "url", text_json(outcome->url));
    json_object_set_new(object, "state", json_string(state));
    counts_set(object, outcome);
    if (err->code)
        json_object_set_new(object, "error", text_json(sw_error_text(err)));
    return object;
}
