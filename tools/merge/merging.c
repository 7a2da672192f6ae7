/* SPDX-License-Identifier: MIT */
#include "tools/merge/merging.h"
#include "tools/merge/from_reports.h"
#include "tools/merge/from_steps.h"
#include "tools/merge/which_logs.h"
#include "tools/output/stderr.h"

#include <stdlib.h>
#include <string.h>

/* More steps than this, in all logs, are read only on request: it would take minutes. */
static const off_t STEPS_MOST = (off_t)4 << 30;

/* ---- actions that wait ---- */

static void waiting_add(struct merged *merged, const char *name)
{
    int number = name ? names_add(&merged->names, name) : -1;
    if (number >= 0)
        merged->waiting[merged->waits++] = number;
}

/* Without options, those that the log names. */
static bool waits_find(struct merged *merged, const char *const *wait)
{
    size_t count = log_count(merged->wait);
    for (size_t i = 0; wait[i]; i++)
        count++;
    merged->waiting = calloc(count + 1, sizeof *merged->waiting);
    if (!merged->waiting)
        return false;
    for (size_t i = 0; wait[i]; i++)
        waiting_add(merged, wait[i]);
    const struct log_value *name = *wait ? NULL : log_first(merged->wait);
    for (; name; name = log_after(merged->wait, name))
        waiting_add(merged, log_text(name));
    return true;
}

/* ---- who keeps the others waiting ---- */

/* Sorts the named actions by name, and the rest of the batch after them. */
static int by_name(const void *a, const void *b, void *arg)
{
    const struct name_table *names = arg;
    const struct column_action *x = a, *y = b;
    bool first = x->name == NAME_BATCH, second = y->name == NAME_BATCH;
    return first != second ? first - second
                           : strcmp(names_text(names, x->name), names_text(names, y->name));
}

/* The same data in the form that the search needs. */
struct search {
    int64_t *rank;
    const char **action, **host;
    double **value;
    bool *wait;
};

static bool search_make(struct search *search, const struct merged *merged)
{
    const struct columns *columns = &merged->columns;
    search->action = calloc(columns->actions + 1, sizeof(*search->action));
    search->value = calloc(columns->actions + 1, sizeof(*search->value));
    search->wait = calloc(columns->actions + 1, sizeof *search->wait);
    search->host = calloc(merged->count + 1, sizeof(*search->host));
    search->rank = calloc(merged->count + 1, sizeof *search->rank);
    if (!search->action || !search->value || !search->wait || !search->host || !search->rank)
        return false;
    for (size_t a = 0; a < columns->actions; a++) {
        search->action[a] = names_text(&merged->names, columns->action[a].name);
        search->value[a] = columns->action[a].value;
        search->wait[a] = merged_waits(merged, columns->action[a].name);
    }
    for (size_t i = 0; i < merged->count; i++) {
        search->host[i] = merged->log[i].host;
        search->rank[i] = merged->log[i].rank;
    }
    return true;
}

static void search_free(struct search *search)
{
    free(search->action);
    free(search->value);
    free(search->wait);
    free(search->host);
    free(search->rank);
}

static bool straggle(struct merged *merged)
{
    struct columns *columns = &merged->columns;
    struct search search = {0};
    if (columns->actions)
        qsort_r(columns->action, columns->actions, sizeof *columns->action, by_name,
                &merged->names);
    bool fine = search_make(&search, merged);
    const struct swi_rank_durations data = {.ranks = columns->read,
                                            .steps = columns->blocks,
                                            .actions = columns->actions,
                                            .action = search.action,
                                            .wait = search.wait,
                                            .value = search.value,
                                            .host = search.host,
                                            .rank = search.rank};
    fine = fine && swi_straggler_find(&merged->straggler, &data);
    /* Actions are known only with steps. */
    if (fine && !columns->actions && merged->waits)
        merged->straggler.why = "too little";
    search_free(&search);
    return fine;
}

/* ---- the whole ---- */

static off_t size_of(const struct merged *merged)
{
    off_t size = 0;
    for (size_t i = 0; i < merged->count; i++)
        size += merged->log[i].size;
    return size;
}

static bool all_have_steps(const struct merged *merged)
{
    for (size_t i = 0; i < merged->count; i++)
        if (!merged->log[i].has_steps)
            return false;
    return true;
}

static int rows_find(struct merged *merged, bool steps, struct sw_error *err)
{
    off_t size = size_of(merged);
    bool has_steps = all_have_steps(merged);
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

static void nodes_count(struct merged *merged)
{
    for (size_t i = 0; i < merged->count; i++)
        merged->node[merged->log[i].node].ranks++;
}

int merge_logs(struct merged *merged, char *const *path, size_t count,
               const struct merge_options *options, struct sw_error *err)
{
    *merged =
        (struct merged){.block = 1, .by_node = options->by_node, .by_shape = options->by_shape};
    if (!names_init(&merged->names))
        return sw_error_set(err, SW_ENOMEM, "not enough memory");
    int rc = logs_find(merged, path, count, options->force, err);
    if (rc == 0 && (!waits_find(merged, options->wait) || !nodes_find(merged)))
        rc = sw_error_set(err, SW_ENOMEM, "not enough memory");
    if (rc == 0)
        rc = rows_find(merged, options->steps, err);
    if (rc < 0)
        return rc;
    nodes_count(merged);
    merged_rows_sort(&merged->rows, &merged->names);
    merged_rows_sort(&merged->uses.rows, &merged->names);
    return straggle(merged) ? 0 : sw_error_set(err, SW_ENOMEM, "not enough memory");
}

void merged_fini(struct merged *merged)
{
    for (size_t i = 0; i < merged->count; i++)
        rank_log_fini(&merged->log[i]);
    for (size_t i = 0; i < merged->nodes; i++)
        free(merged->node[i].host);
    free(merged->log);
    free(merged->node);
    free(merged->waiting);
    free(merged->wait);
    names_free(&merged->names);
    merged_rows_free(&merged->rows);
    rank_uses_free(&merged->uses);
    columns_free(&merged->columns);
    step_set_free(&merged->common[0]);
    step_set_free(&merged->common[1]);
}
