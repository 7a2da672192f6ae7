/* SPDX-License-Identifier: MIT */
#include "tools/merge/merged_cells.h"
#include "core/stragglers/straggler_sentence.h"
#include "core/text/escape.h"
#include "tools/output/text.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- tables ---- */

struct merged_sheet merged_durations(const struct merged *merged)
{
    return (struct merged_sheet){merged, &merged->rows, false, MERGED_COLUMNS};
}

struct merged_sheet merged_uses(const struct merged *merged)
{
    return (struct merged_sheet){merged, &merged->uses.rows, true, MERGED_NAMES + 6};
}

bool sheet_shows(const struct merged_sheet *sheet, int column)
{
    return column != MERGED_NAMES - 1 || sheet->uses || sheet->merged->by_shape;
}

const char *sheet_header(const struct merged_sheet *sheet, int column)
{
    static const char *const headers[][MERGED_COLUMNS] = {
        {"phase", "action", "shape", "ranks", "min@rank", "mean", "max@rank", "imbalance", "wait",
         "calls", "call mean", "P50", "P95", "P99"},
        {"phase", "action", "counter", "ranks", "min@rank", "mean", "max@rank", "imbalance",
         "total"}};
    if (sheet->merged->by_node && column == MERGED_NAMES + 1)
        return "min@node";
    return sheet->merged->by_node && column == MERGED_NAMES + 3 ? "max@node"
                                                                : headers[sheet->uses][column];
}

/* ---- cells ---- */

/* Shortens the name until it fits as it is escaped: the first half of an escape sequence would
 * swallow what follows it. */
static void name_put(char *cell, size_t size, const char *name, swi_escape_fn *escape)
{
    struct swi_text text = {0};
    char *cut = strdup(name);
    size_t length = strlen(name);
    cell[0] = '\0';
    if (cut)
        escape(&text, cut);
    while (cut && length && !text.failed && text.size >= size) {
        do
            length--;
        while (length && (cut[length] & 0xc0) == 0x80);
        cut[length] = '\0';
        text.size = 0;
        escape(&text, cut);
    }
    if (length && text.data && text.size < size)
        memcpy(cell, text.data, text.size + 1);
    swi_text_free(&text);
    free(cut);
}

/* Writes a value, and the rank or the node that has it. */
static void at_put(const struct merged *merged, char *cell, const char *value, int64_t at,
                   swi_escape_fn *escape)
{
    char name[61];
    if (merged->by_node)
        name_put(name, sizeof name, merged->node[at].host, escape);
    else
        snprintf(name, sizeof name, "%" PRId64, at);
    snprintf(cell, MERGED_CELL, "%s@%s", value, name);
}

static void time_at_put(const struct merged *merged, char *cell, double ns, int64_t at,
                        swi_escape_fn *escape)
{
    char time[TEXT_NUMBER];
    at_put(merged, cell, ns != 0 ? text_time(time, ns) : "0", at, escape);
}

/* For an action that is itself waiting, the value would be meaningless. */
static void wait_put(const struct merged *merged, const struct merged_row *row, char *cell)
{
    char text[TEXT_NUMBER];
    bool waits = merged_waits(merged, row->action);
    snprintf(cell, MERGED_CELL, "%s", waits ? "-" : text_time(text, merged_wait(merged, row)));
}

static void durations_put(const struct merged *merged, const struct merged_row *row,
                          swi_escape_fn *escape, char (*at)[MERGED_CELL])
{
    static const double share[] = {0.50, 0.95, 0.99};
    char text[TEXT_NUMBER];
    struct merged_totals totals = merged_totals(merged, row);
    time_at_put(merged, at[1], totals.min, totals.min_at, escape);
    snprintf(at[2], MERGED_CELL, "%s", text_time(text, totals.mean));
    time_at_put(merged, at[3], totals.max, totals.max_at, escape);
    snprintf(at[4], MERGED_CELL, "%s", text_share(text, totals.imbalance));
    wait_put(merged, row, at[5]);
    snprintf(at[6], MERGED_CELL, "%s", text_count(text, (double)row->calls));
    snprintf(at[7], MERGED_CELL, "%s", text_time(text, merged_call_mean(row)));
    for (int i = 0; i < 3; i++)
        snprintf(at[8 + i], MERGED_CELL, "%s", text_time(text, merged_quantile(row, share[i])));
}

const struct merged_counter *merged_counter_of(const struct merged *merged,
                                               const struct merged_row *row)
{
    return rank_uses_find(&merged->uses, row->shape);
}

/* Peaks of ranks do not add up. */
static void uses_put(const struct merged *merged, const struct merged_row *row,
                     swi_escape_fn *escape, char (*at)[MERGED_CELL])
{
    char text[TEXT_NUMBER];
    const struct merged_counter *counter = merged_counter_of(merged, row);
    struct merged_totals totals = merged_totals(merged, row);
    double sum = counter->peak ? NAN : (double)row->sum;
    at_put(merged, at[1], text_use(text, totals.min, counter->unit), totals.min_at, escape);
    snprintf(at[2], MERGED_CELL, "%s", text_use(text, totals.mean, counter->unit));
    at_put(merged, at[3], text_use(text, totals.max, counter->unit), totals.max_at, escape);
    snprintf(at[4], MERGED_CELL, "%s", text_share(text, totals.imbalance));
    snprintf(at[5], MERGED_CELL, "%s", text_use(text, sum, counter->unit));
}

void sheet_cells(const struct merged_sheet *sheet, const struct merged_row *row,
                 swi_escape_fn *escape, merged_cells cell)
{
    const struct merged *merged = sheet->merged;
    name_put(cell[0], MERGED_CELL, merged_phase(merged, row), escape);
    name_put(cell[1], MERGED_CELL, merged_action(merged, row), escape);
    name_put(cell[2], MERGED_CELL, merged_shape(merged, row), escape);
    snprintf(cell[MERGED_NAMES], MERGED_CELL, "%" PRId64, row->ranks);
    (sheet->uses ? uses_put : durations_put)(merged, row, escape, cell + MERGED_NAMES);
}

/* ---- sentences ---- */

struct notes {
    const struct merged *merged;
    struct swi_text text; /* of the current sentence */
    merged_note_fn *note;
    void *arg;
};

static void note_end(struct notes *notes)
{
    notes->note(notes->arg, notes->text.data ? notes->text.data : "");
    notes->text.size = 0;
}

/* Writes ranks as "3, 5-9", at most ten of these. */
struct rank_list {
    int64_t first, last;
    int shown;
};
enum { LISTED = 10 };

static void list_flush(struct notes *notes, struct rank_list *list)
{
    if (list->first < 0 || list->shown++ >= LISTED)
        return;
    swi_text_format(&notes->text, list->shown > 1 ? ", %" PRId64 : "%" PRId64, list->first);
    if (list->last > list->first)
        swi_text_format(&notes->text, list->last > list->first + 1 ? "-%" PRId64 : ", %" PRId64,
                        list->last);
}

static void list_add(struct notes *notes, struct rank_list *list, int64_t rank)
{
    if (list->first >= 0 && rank == list->last + 1) {
        list->last = rank;
        return;
    }
    list_flush(notes, list);
    list->first = list->last = rank;
}

static void list_end(struct notes *notes, struct rank_list *list, const char *what)
{
    list_flush(notes, list);
    swi_text_format(&notes->text, "%s %s", list->shown > LISTED ? " and more" : "", what);
    note_end(notes);
}

static void ranks_note(struct notes *notes, const char *what, bool (*is)(const struct rank_log *))
{
    const struct merged *merged = notes->merged;
    struct rank_list list = {.first = -1};
    size_t count = 0;
    for (size_t i = 0; i < merged->count; i++)
        count += is(&merged->log[i]);
    if (!count)
        return;
    swi_text_put(&notes->text, count > 1 ? "Ranks " : "Rank ");
    for (size_t i = 0; i < merged->count; i++)
        if (is(&merged->log[i]))
            list_add(notes, &list, merged->log[i].rank);
    list_end(notes, &list, what);
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
    return !log->finished && !log->torn;
}

static void missing_note(struct notes *notes)
{
    const struct merged *merged = notes->merged;
    int64_t missing = merged->world_size - (int64_t)merged->count;
    struct rank_list list = {.first = -1};
    char what[64];
    if (missing <= 0)
        return;
    swi_text_put(&notes->text, missing > 1 ? "Ranks " : "Rank ");
    for (int64_t rank = 0; rank < merged->world_size && list.shown <= LISTED; rank++)
        if (!merged_has(merged, rank))
            list_add(notes, &list, rank);
    snprintf(what, sizeof what, "of %" PRId64 ": no log", merged->world_size);
    list_end(notes, &list, what);
}

static void ranks_count_note(struct notes *notes)
{
    const struct merged *merged = notes->merged;
    swi_text_format(&notes->text, "%zu of %" PRId64 " ranks, %" PRId64 " training steps",
                    merged->count, merged->world_size, merged->steps);
    if (merged->left_out)
        swi_text_format(&notes->text, "; steps left out because not all ranks have them: %" PRId64,
                        merged->left_out);
    note_end(notes);
    if (!merged->from_reports)
        return;
    swi_text_put(&notes->text, "From the reports of the ranks, not from their steps");
    if (merged->unread)
        swi_text_format(&notes->text, ", which are %.1f GiB (--steps reads them)",
                        (double)merged->unread / (1 << 30));
    note_end(notes);
}

static void balance_note(struct notes *notes)
{
    char text[TEXT_NUMBER];
    const struct balance *balance = &notes->merged->balance;
    /* From totals and blocks, this is a lower bound, because ranks may lose time in turns. */
    bool least = notes->merged->from_reports || !isfinite(balance->lost);
    double lost =
        fmax(isfinite(balance->lost) ? balance->lost : 0, least ? balance->lost_totals : 0);
    swi_text_format(&notes->text, "Perfect balance would save %s%s", least ? "at least " : "",
                    text_share(text, lost));
    if (isfinite(balance->communication))
        swi_text_format(&notes->text, "; communication that all wait for: %s",
                        text_share(text, balance->communication));
    note_end(notes);
}

static void straggler_note(struct notes *notes)
{
    const struct merged *merged = notes->merged;
    const struct swi_straggler *found = &merged->straggler;
    const struct rank_log *log = &merged->log[found->rank];
    swi_straggler_sentence(&notes->text, found, log->rank, log->host, (size_t)merged->block);
    if (found->why && strcmp(found->why, "no wait") == 0)
        swi_text_put(&notes->text, " (--wait allreduce)");
    note_end(notes);
}

/* Names the log of the first rank that differs from most. */
static void partial_note(struct notes *notes, const struct merged_row *row)
{
    const struct merged *merged = notes->merged;
    struct merged_partial partial;
    if (!merged_partial(merged, row, &partial))
        return;
    swi_text_format(&notes->text, "%s: %s the action %s/%s, which %" PRId64 " of %zu ranks have",
                    partial.path, partial.has ? "has" : "lacks", merged_phase(merged, row),
                    merged_action(merged, row), row->ranks, merged->count);
    note_end(notes);
}

void merged_notes(const struct merged *merged, merged_note_fn *note, void *arg)
{
    struct notes notes = {.merged = merged, .note = note, .arg = arg};
    ranks_count_note(&notes);
    balance_note(&notes);
    straggler_note(&notes);
    missing_note(&notes);
    ranks_note(&notes, "did not finish: the last line of the log is not whole", is_torn);
    ranks_note(&notes, "did not store each step: percentiles and deviations are not exact",
               is_thinned);
    ranks_note(&notes, "did not finish", is_unfinished);
    for (size_t i = 0; i < merged->rows.count; i++)
        partial_note(&notes, &merged->rows.item[i]);
    swi_text_free(&notes.text);
}
