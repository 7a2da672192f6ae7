/* SPDX-License-Identifier: MIT */
/* A merge for programs. */
#include "tools/merge/merged.h"
#include "tools/merge/merged_tables.h"
#include "tools/output/print.h"

#include <inttypes.h>
#include <math.h>

/* ---- as CSV ---------------------------------------------------------------------------------- */

static void text_csv(const char *name)
{
    struct swi_text text = {0};
    swi_escape_csv_terminal(&text, name);
    fputs(text.data ? text.data : "", stdout);
    swi_text_free(&text);
}

/* Cells without a value are empty. */
static void number_csv(double value)
{
    if (isfinite(value))
        printf("%.15g", value);
}

static void cell_csv(const struct merged *merged, const struct merged_column *column,
                     const struct merged_row *row)
{
    if (column->kind == TEXT)
        text_csv(sheet_text(column, row));
    else if (column->kind == COUNT || column->kind == CALLS)
        printf("%" PRId64, sheet_count(column, row));
    else
        number_csv(sheet_value(column, row));
    if (!sheet_has_place(column))
        return;
    putchar(',');
    if (merged->by_node)
        text_csv(merged->node[sheet_place(column, row)].host);
    else
        printf("%" PRId64, sheet_place(column, row));
}

static const struct merged_row *use_find(const struct merged *merged, const struct merged_row *of,
                                         int counter)
{
    for (size_t i = 0; of->shape < 0 && i < merged->uses.rows.count; i++) {
        const struct merged_row *row = &merged->uses.rows.item[i];
        if (row->phase == of->phase && row->action == of->action && row->shape == counter)
            return row;
    }
    return NULL;
}

/* Of each counter the smallest, mean and largest total of a rank. */
static void uses_csv(const struct merged *merged, const struct merged_row *row)
{
    for (size_t i = 0; i < merged->uses.count; i++) {
        const struct merged_row *use = use_find(merged, row, merged->uses.counter[i].name);
        const double value[] = {use ? use->is.min_ns : NAN, use ? use->is.mean_ns : NAN,
                                use ? use->is.max_ns : NAN};
        for (int k = 0; k < 3; k++) {
            putchar(',');
            number_csv(value[k]);
        }
    }
}

static void uses_csv_header(const struct merged *merged)
{
    static const char *const which[] = {"min", "mean", "max"};
    struct swi_text key = {0};
    for (size_t i = 0; i < 3 * merged->uses.count; i++) {
        key.size = 0;
        swi_text_format(&key, "counter/%s/%s",
                        merged->names.name[merged->uses.counter[i / 3].name].text, which[i % 3]);
        putchar(',');
        text_csv(key.data ? key.data : "");
    }
    swi_text_free(&key);
}

void merged_csv(const struct merged *merged)
{
    const struct sheet sheet = sheet_of(merged, false, CSV);
    for (int c = 0; c < sheet.columns; c++) {
        printf("%s%s", c ? "," : "", sheet.column[c]->key);
        if (sheet_has_place(sheet.column[c]))
            printf(",%.3s_%s", sheet.column[c]->key, merged->by_node ? "node" : "rank");
    }
    uses_csv_header(merged);
    putchar('\n');
    for (size_t i = 0; i < sheet.rows->count; i++) {
        const struct merged_row *row = &sheet.rows->item[i];
        for (int c = 0; c < sheet.columns; c++) {
            fputs(c ? "," : "", stdout);
            cell_csv(merged, sheet.column[c], row);
        }
        uses_csv(merged, row);
        putchar('\n');
    }
}

/* ---- as JSON --------------------------------------------------------------------------------- */

static void set(json_t *object, const char *key, json_t *value)
{
    json_object_set_new(object, key, value);
}

static json_t *sum_json(swi_rank_ns sum)
{
    bool fits = sum <= INT64_MAX && sum >= INT64_MIN;
    return fits ? json_integer((json_int_t)sum) : json_real((double)sum);
}

/* Sets the smallest or the largest value, and where it is. Those of ranks are exact, because they
 * are whole nanoseconds. */
static void place_json(json_t *object, const struct merged *merged,
                       const struct merged_column *column, const struct merged_row *row)
{
    char key[16];
    int64_t place = sheet_place(column, row);
    snprintf(key, sizeof key, "%.3s_%s", column->key, merged->by_node ? "node" : "rank");
    set(object, column->key,
        merged->by_node ? text_json_number(sheet_value(column, row))
                        : sum_json(column->kind == LEAST ? row->all.least : row->all.most));
    set(object, key, merged->by_node ? text_json(merged->node[place].host) : json_integer(place));
}

static void cell_json(json_t *object, const struct merged *merged,
                      const struct merged_column *column, const struct merged_row *row)
{
    struct merged_partial partial;
    if (column->kind == TEXT)
        set(object, column->key, text_json(sheet_text(column, row)));
    else if (column->kind == COUNT || column->kind == CALLS)
        set(object, column->key, json_integer(sheet_count(column, row)));
    else if (sheet_has_place(column))
        place_json(object, merged, column, row);
    else if (column->kind == PARTIAL && merged_partial(merged, row, &partial))
        set(object, partial.has ? "first_with" : "first_without", text_json(partial.path));
    else if (column->kind == TOTAL && !row->counter->peak) /* peaks do not add up */
        set(object, column->key, sum_json(row->all.total));
    else if (column->kind != PARTIAL && column->kind != TOTAL)
        set(object, column->key, text_json_number(sheet_value(column, row)));
}

static json_t *sheet_json(const struct merged *merged, bool uses)
{
    const struct sheet sheet = sheet_of(merged, uses, JSON);
    json_t *list = json_array();
    for (size_t i = 0; i < sheet.rows->count; i++) {
        json_t *object = json_object();
        for (int c = 0; c < sheet.columns; c++)
            cell_json(object, merged, sheet.column[c], &sheet.rows->item[i]);
        json_array_append_new(list, object);
    }
    return list;
}

/* ---- which ranks ---- */

/* Lists the ranks whose log has a mark; marks 0: all. */
static json_t *ranks_json(const struct merged *merged, unsigned marks)
{
    json_t *list = json_array();
    for (size_t i = 0; i < merged->count; i++)
        if ((merged->log[i].marks & marks) == marks)
            json_array_append_new(list, json_integer(merged->log[i].rank));
    return list;
}

/* Enough for any machine. A log may claim any number. */
enum { MISSING_MOST = 1 << 20 };

static void missing_put(struct json_parts *json, const struct merged *merged)
{
    int64_t left = MISSING_MOST;
    json_enter(json, "missing", '[');
    for (size_t i = 0; i <= merged->count; i++) {
        int64_t first, gap = merged_gap(merged, i, &first);
        for (int64_t n = 0; n < gap && left > 0; n++, left--)
            json_put(json, NULL, json_integer(first + n));
    }
    json_leave(json);
}

static json_t *nodes_json(const struct merged *merged)
{
    json_t *list = json_array();
    for (size_t i = 0; i < merged->nodes; i++) {
        const struct merged_node *node = &merged->node[i];
        if (node->ranks)
            json_array_append_new(list, json_pack("{s:o, s:I}", "node", text_json(node->host),
                                                  "ranks", (json_int_t)node->ranks));
    }
    return list;
}

/* ---- the verdict ---- */

static json_t *balance_json(const struct balance *balance)
{
    return json_pack(
        "{s:o, s:o, s:o, s:o, s:o, s:o}", "load_balance", text_json_number(balance->load_balance),
        "parallel_efficiency", text_json_number(balance->parallel_efficiency), "lost",
        text_json_number(balance->lost), "lost_totals", text_json_number(balance->lost_totals),
        "wait_ns", text_json_number(balance->wait_ns), "communication",
        text_json_number(balance->communication));
}

static void culprit_set(json_t *object, const struct merged *merged)
{
    const struct sw_ranks *ranks = &merged->ranks;
    const struct swi_slowness *slow = &merged->straggler.slow;
    if (ranks->slow_rank < 0)
        set(object, "host", text_json(ranks->slow_host));
    else
        set(object, "rank", json_integer(ranks->slow_rank));
    set(object, "phase", ranks->slow_action ? text_json(ranks->slow_action) : json_null());
    set(object, "phase_part", text_json_number(slow->phase_part));
    set(object, "confidence", text_json_number(ranks->confidence));
    set(object, "gain", text_json_number(ranks->gain));
    set(object, "late_ns", text_json_number(ranks->late_ns));
    if (!slow->high_steps)
        return;
    json_int_t block = (json_int_t)ranks->block;
    set(object, "steps", json_integer((json_int_t)slow->high_steps * block));
    set(object, "first_step", json_integer((json_int_t)slow->first_step * block));
    set(object, "last_step", json_integer(((json_int_t)slow->last_step + 1) * block - 1));
}

static json_t *straggler_json(const struct merged *merged)
{
    const struct sw_ranks *ranks = &merged->ranks;
    json_t *object = json_object();
    set(object, "verdict", json_string(ranks->verdict));
    if (ranks->why)
        set(object, "why", json_string(ranks->why));
    if (merged->straggler.has_shares) {
        set(object, "lost", text_json_number(ranks->lost));
        set(object, "communication", text_json_number(ranks->communication));
        set(object, "mirror", text_json_number(merged->straggler.mirror));
    }
    if (merged->straggler.named)
        culprit_set(object, merged);
    if (ranks->block > 1)
        set(object, "steps_in_a_block", json_integer((json_int_t)ranks->block));
    return object;
}

void merged_json(const struct merged *merged)
{
    struct json_parts json;
    if (json_begin(&json, "merge") < 0)
        return;
    json_put(&json, "type", json_string("merge"));
    json_put(&json, "version", json_integer(1));
    json_put(&json, "world_size", json_integer(merged->ranks.world_size));
    json_put(&json, "ranks", ranks_json(merged, 0));
    missing_put(&json, merged);
    json_put(&json, "torn", ranks_json(merged, LOG_TORN));
    json_put(&json, "damaged", ranks_json(merged, LOG_DAMAGED));
    json_put(&json, "thinned", ranks_json(merged, LOG_THINNED));
    json_put(&json, "unfinished", ranks_json(merged, LOG_UNFINISHED));
    json_put(&json, "from", json_string(merged->from_reports ? "reports" : "steps"));
    json_put(&json, "by", json_string(merged->by_node ? "node" : "rank"));
    if (merged->by_shape)
        json_put(&json, "group_by", json_string("shape"));
    if (merged->by_node)
        json_put(&json, "nodes", nodes_json(merged));
    json_put(&json, "steps", json_integer(merged->ranks.steps));
    json_put(&json, "steps_left_out", json_integer(merged->left_out));
    json_put(&json, "rows", sheet_json(merged, false));
    if (merged->uses.rows.count)
        json_put(&json, "counters", sheet_json(merged, true));
    json_put(&json, "balance", balance_json(&merged->balance));
    json_put(&json, "straggler", straggler_json(merged));
    json_end(&json, "merge");
}
