/* SPDX-License-Identifier: MIT */
#include "tools/merge/merged.h"
#include "tools/output/print.h"

#include <stdlib.h>
#include <string.h>

/* More steps than this, in all logs, are read only on request: it would take minutes. */
static const off_t STEPS_MOST = (off_t)4 << 30;

static bool names_begin(struct merged *merged)
{
    static const char *const first[] = {"train", "step", "draw", "batch"};
    for (size_t i = 0; i < sizeof first / sizeof *first; i++)
        if (merged_name(merged, first[i]) < 0)
            return false;
    return true;
}

/* ---- actions that wait ---- */

static void waiting_add(struct merged *merged, const char *name)
{
    int number = name ? merged_name(merged, name) : -1;
    if (number >= 0)
        merged->waiting[merged->waits++] = number;
}

/* Without options, those that the log of the lowest rank names. */
static bool waits_find(struct merged *merged, const char *const *wait)
{
    const struct log_value *named = NULL;
    for (size_t i = 0; i < merged->count && !named; i++)
        named = log_get(merged->log[i].head, "wait");
    size_t count = log_count(named);
    for (size_t i = 0; wait[i]; i++)
        count++;
    merged->waiting = calloc(count + 1, sizeof *merged->waiting);
    if (!merged->waiting)
        return false;
    for (size_t i = 0; wait[i]; i++)
        waiting_add(merged, wait[i]);
    const struct log_value *name = *wait ? NULL : log_first(named);
    for (; name; name = log_after(named, name))
        waiting_add(merged, log_text(name));
    return true;
}

/* A misspelt name would be the name of an action for which nobody waits. */
static void unknown_waits_say(const struct merged *merged, const char *const *wait)
{
    for (; *wait; wait++) {
        size_t i = 0;
        while (i < merged->rows.count && strcmp(merged->rows.item[i].is.action, *wait) != 0)
            i++;
        if (i == merged->rows.count)
            say("merge", "--wait %s: no rank has an action of this name", *wait);
    }
}

/* ---- the whole ---- */

static int rows_find(struct merged *merged, bool steps, struct sw_error *err)
{
    off_t size = 0;
    bool has_steps = true;
    for (size_t i = 0; i < merged->count; i++) {
        size += merged->log[i].size;
        has_steps = has_steps && merged->log[i].has_steps;
    }
    if (has_steps && (steps || size <= STEPS_MOST)) {
        int rc = merge_steps(merged, err);
        if (rc == 0)
            merged->balance = columns_balance(&merged->columns);
        return rc;
    }
    if (steps && !has_steps)
        say("merge", "--steps: not all logs have steps, so reports are merged");
    if (merged->by_shape)
        say("merge", "--group-by shape: only steps have shapes, and reports are merged");
    merged->unread = has_steps ? size : 0;
    return merge_reports(merged, err);
}

int merge_logs(struct merged *merged, char *const *path, size_t count,
               const struct merge_options *options, struct sw_error *err)
{
    *merged = (struct merged){.ranks = {.size = sizeof merged->ranks, .block = 1},
                              .by_node = options->by_node,
                              .by_shape = options->by_shape};
    if (!names_begin(merged))
        return sw_error_set(err, SW_ENOMEM, "not enough memory");
    int rc = logs_find(merged, path, count, options->force, err);
    if (rc == 0 && !waits_find(merged, options->wait))
        rc = sw_error_set(err, SW_ENOMEM, "not enough memory");
    if (rc == 0)
        rc = rows_find(merged, options->steps, err);
    if (rc < 0)
        return rc;
    merged->ranks.ranks = (int64_t)merged->count;
    for (size_t i = 0; i < merged->count; i++)
        merged->node[merged->log[i].node].ranks++;
    merged_rows_end(merged);
    unknown_waits_say(merged, options->wait);
    return columns_search(merged) ? 0 : sw_error_set(err, SW_ENOMEM, "not enough memory");
}

void merged_fini(struct merged *merged)
{
    logs_free(merged);
    free(merged->waiting);
    swi_map_free(&merged->names);
    merged_rows_free(merged);
    columns_free(&merged->columns);
    step_set_free(&merged->common[0]);
    step_set_free(&merged->common[1]);
    swi_text_free(&merged->sentence);
}
