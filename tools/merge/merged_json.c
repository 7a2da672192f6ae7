/* SPDX-License-Identifier: MIT */
#include "tools/merge/merged_json.h"
#include "tools/merge/merged_cells.h"
#include "tools/output/text.h"

#include <math.h>

static json_t *ranks_json(const struct merged *merged, bool (*is)(const struct rank_log *log))
{
    json_t *list = json_array();
    for (size_t i = 0; i < merged->count; i++)
        if (is(&merged->log[i]))
            json_array_append_new(list, json_integer(merged->log[i].rank));
    return list;
}

static bool is_any(const struct rank_log *log)
{
    (void)log;
    return true;
}

static bool is_torn(const struct rank_log *log)
{
    return log->torn;
}

static bool is_thinned(const struct rank_log *log)
{
    return log->thinned;
}

static bool is_unfinished(const struct rank_log *log)
{
    return !log->finished;
}

/* Enough for any machine. A log may claim any number. */
enum { MISSING_MOST = 1 << 20 };

static json_t *missing_json(const struct merged *merged)
{
    json_t *list = json_array();
    for (int64_t rank = 0; rank < merged->world_size && json_array_size(list) < MISSING_MOST;
         rank++)
        if (!merged_has(merged, rank))
            json_array_append_new(list, json_integer(rank));
    return list;
}

static json_t *nodes_json(const struct merged *merged)
{
    json_t *list = json_array();
    for (size_t i = 0; i < merged->nodes; i++) {
        json_t *node = json_object();
        json_object_set_new(node, "node", text_json(merged->node[i].host));
        json_object_set_new(node, "ranks", json_integer(merged->node[i].ranks));
        if (merged->node[i].ranks)
            json_array_append(list, node);
        json_decref(node);
    }
    return list;
}

static json_t *sum_json(merged_sum sum)
{
    bool fits = sum <= INT64_MAX && sum >= INT64_MIN;
    return fits ? json_integer((json_int_t)sum) : json_real((double)sum);
}

static void set(json_t *object, const char *key, json_t *value)
{
    json_object_set_new(object, key, value);
}

/* Sets the smallest and the largest value, and where they are. Those of ranks are exact, because
 * they are whole nanoseconds. */
static void range_set(json_t *object, const struct merged *merged, const struct merged_row *row)
{
    struct merged_totals totals = merged_totals(merged, row);
    bool nodes = merged->by_node;
    set(object, "min_ns", nodes ? text_json_number(totals.min) : sum_json(row->min));
    if (nodes)
        set(object, "min_node", text_json(merged->node[totals.min_at].host));
    else
        set(object, "min_rank", json_integer(totals.min_at));
    set(object, "mean_ns", text_json_number(totals.mean));
    set(object, "max_ns", nodes ? text_json_number(totals.max) : sum_json(row->max));
    if (nodes)
        set(object, "max_node", text_json(merged->node[totals.max_at].host));
    else
        set(object, "max_rank", json_integer(totals.max_at));
    set(object, "imbalance", text_json_number(totals.imbalance));
}

/* Sets the log that differs from most, if not all ranks have the action. */
static void partial_set(json_t *object, const struct merged *merged, const struct merged_row *row)
{
    struct merged_partial partial;
    if (merged_partial(merged, row, &partial))
        set(object, partial.has ? "first_with" : "first_without", text_json(partial.path));
}

static json_t *row_json(const struct merged *merged, const struct merged_row *row)
{
    json_t *object = json_object();
    set(object, "phase", text_json(merged_phase(merged, row)));
    set(object, "action", text_json(merged_action(merged, row)));
    if (merged->by_shape)
        set(object, "shape", text_json(merged_shape(merged, row)));
    set(object, "ranks", json_integer(row->ranks));
    set(object, "calls", json_integer(row->calls));
    range_set(object, merged, row);
    partial_set(object, merged, row);
    set(object, "wait_ns", text_json_number(merged_wait(merged, row)));
    set(object, "call_mean_ns", text_json_number(merged_call_mean(row)));
    set(object, "call_std_ns", text_json_number(merged_call_std(row)));
    set(object, "call_min_ns", json_integer(row->call_min));
    set(object, "call_max_ns", json_integer(row->call_max));
    set(object, "p50_ns", text_json_number(merged_quantile(row, 0.50)));
    set(object, "p95_ns", text_json_number(merged_quantile(row, 0.95)));
    set(object, "p99_ns", text_json_number(merged_quantile(row, 0.99)));
    return object;
}

/* Peaks of ranks do not add up. */
static json_t *use_json(const struct merged *merged, const struct merged_row *row)
{
    const struct merged_counter *counter = merged_counter_of(merged, row);
    struct merged_totals totals = merged_totals(merged, row);
    bool nodes = merged->by_node;
    json_t *object = json_object();
    set(object, "phase", text_json(merged_phase(merged, row)));
    set(object, "action", text_json(merged_action(merged, row)));
    set(object, "counter", text_json(merged_shape(merged, row)));
    set(object, "unit", text_json(counter->unit));
    set(object, "ranks", json_integer(row->ranks));
    if (!counter->peak)
        set(object, "total", sum_json(row->sum));
    set(object, "min", nodes ? text_json_number(totals.min) : sum_json(row->min));
    set(object, nodes ? "min_node" : "min_rank",
        nodes ? text_json(merged->node[totals.min_at].host) : json_integer(totals.min_at));
    set(object, "mean", text_json_number(totals.mean));
    set(object, "max", nodes ? text_json_number(totals.max) : sum_json(row->max));
    set(object, nodes ? "max_node" : "max_rank",
        nodes ? text_json(merged->node[totals.max_at].host) : json_integer(totals.max_at));
    set(object, "imbalance", text_json_number(totals.imbalance));
    return object;
}

static json_t *uses_json(const struct merged *merged)
{
    json_t *list = json_array();
    for (size_t i = 0; i < merged->uses.rows.count; i++)
        json_array_append_new(list, use_json(merged, &merged->uses.rows.item[i]));
    return list;
}

static json_t *balance_json(const struct merged *merged)
{
    json_t *object = json_object();
    set(object, "load_balance", text_json_number(merged->balance.load_balance));
    set(object, "parallel_efficiency", text_json_number(merged->balance.parallel_efficiency));
    set(object, "lost", text_json_number(merged->balance.lost));
    set(object, "lost_totals", text_json_number(merged->balance.lost_totals));
    set(object, "wait_ns", text_json_number(merged->balance.wait_ns));
    set(object, "communication", text_json_number(merged->balance.communication));
    return object;
}

static void culprit_set(json_t *object, const struct merged *merged)
{
    const struct swi_straggler *found = &merged->straggler;
    json_int_t block = (json_int_t)merged->block;
    if (found->host)
        set(object, "host", text_json(found->host));
    else
        set(object, "rank", json_integer(merged->log[found->rank].rank));
    set(object, "phase", found->slow.phase ? text_json(found->slow.phase) : json_null());
    set(object, "phase_part", text_json_number(found->slow.phase_part));
    set(object, "confidence", text_json_number(found->confidence));
    set(object, "gain", text_json_number(found->slow.gain));
    set(object, "late_ns", text_json_number(found->slow.late));
    if (!found->slow.high_steps)
        return;
    set(object, "steps", json_integer((json_int_t)found->slow.high_steps * block));
    set(object, "first_step", json_integer((json_int_t)found->slow.first_step * block));
    set(object, "last_step", json_integer(((json_int_t)found->slow.last_step + 1) * block - 1));
}

static json_t *straggler_json(const struct merged *merged)
{
    const struct swi_straggler *found = &merged->straggler;
    json_t *object = json_object();
    set(object, "verdict", json_string(found->verdict));
    if (found->why)
        set(object, "why", json_string(found->why));
    if (found->has_shares) {
        set(object, "lost", text_json_number(found->lost));
        set(object, "communication", text_json_number(found->communication));
        set(object, "mirror", text_json_number(found->mirror));
    }
    if (found->named)
        culprit_set(object, merged);
    if (merged->block > 1)
        set(object, "steps_in_a_block", json_integer((json_int_t)merged->block));
    return object;
}

json_t *merged_json(const struct merged *merged)
{
    json_t *object = json_object(), *rows = json_array();
    for (size_t i = 0; i < merged->rows.count; i++)
        json_array_append_new(rows, row_json(merged, &merged->rows.item[i]));
    set(object, "type", json_string("merge"));
    set(object, "version", json_integer(1));
    set(object, "world_size", json_integer(merged->world_size));
    set(object, "ranks", ranks_json(merged, is_any));
    set(object, "missing", missing_json(merged));
    set(object, "torn", ranks_json(merged, is_torn));
    set(object, "thinned", ranks_json(merged, is_thinned));
    set(object, "unfinished", ranks_json(merged, is_unfinished));
    set(object, "from", json_string(merged->from_reports ? "reports" : "steps"));
    set(object, "by", json_string(merged->by_node ? "node" : "rank"));
    if (merged->by_shape)
        set(object, "group_by", json_string("shape"));
    if (merged->by_node)
        set(object, "nodes", nodes_json(merged));
    set(object, "steps", json_integer(merged->steps));
    set(object, "steps_left_out", json_integer(merged->left_out));
    set(object, "rows", rows);
    if (merged->uses.rows.count)
        set(object, "counters", uses_json(merged));
    set(object, "balance", balance_json(merged));
    set(object, "straggler", straggler_json(merged));
    return object;
}
