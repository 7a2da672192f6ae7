/* SPDX-License-Identifier: MIT */
/* The sentences about a merge, which are the same in all formats for people. */
#include "tools/merge/merged.h"
#include "tools/output/print.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* ---- what differs between ranks ---- */

int64_t merged_gap(const struct merged *merged, size_t log, int64_t *first)
{
    *first = log ? merged->log[log - 1].rank + 1 : 0;
    return (log < merged->count ? merged->log[log].rank : merged->ranks.world_size) - *first;
}

/* Returns the log of a rank. The logs are sorted by rank. */
static const struct rank_log *log_of(const struct merged *merged, int64_t rank)
{
    for (size_t i = 0; i < merged->count; i++)
        if (merged->log[i].rank == rank)
            return &merged->log[i];
    return &merged->log[0];
}

bool merged_partial(const struct merged *merged, const struct merged_row *row,
                    struct merged_partial *partial)
{
    int64_t others = (int64_t)merged->count - row->all.ranks;
    if (!row->all.ranks || !others)
        return false;
    partial->has = row->all.ranks <= others;
    partial->path = log_of(merged, partial->has ? row->with : row->without)->path;
    return true;
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

static void list_add(struct notes *notes, struct rank_list *list, int64_t first, int64_t last)
{
    if (list->first < 0 || first != list->last + 1) {
        list_flush(notes, list);
        list->first = first;
    }
    list->last = last;
}

static void list_end(struct notes *notes, struct rank_list *list, const char *what)
{
    list_flush(notes, list);
    swi_text_format(&notes->text, "%s %s", list->shown > LISTED ? " and more" : "", what);
    note_end(notes);
}

/* Lists the ranks whose log has a mark. */
static void ranks_note(struct notes *notes, const char *what, enum log_mark mark)
{
    const struct merged *merged = notes->merged;
    struct rank_list list = {.first = -1};
    size_t count = 0;
    for (size_t i = 0; i < merged->count; i++)
        count += (merged->log[i].marks & mark) != 0;
    if (!count)
        return;
    swi_text_put(&notes->text, count > 1 ? "Ranks " : "Rank ");
    for (size_t i = 0; i < merged->count; i++)
        if (merged->log[i].marks & mark)
            list_add(notes, &list, merged->log[i].rank, merged->log[i].rank);
    list_end(notes, &list, what);
}

static void missing_note(struct notes *notes)
{
    const struct merged *merged = notes->merged;
    int64_t missing = merged->ranks.world_size - (int64_t)merged->count, first;
    struct rank_list list = {.first = -1};
    char what[64];
    if (missing <= 0)
        return;
    swi_text_put(&notes->text, missing > 1 ? "Ranks " : "Rank ");
    for (size_t i = 0; i <= merged->count; i++) {
        int64_t gap = merged_gap(merged, i, &first);
        if (gap > 0)
            list_add(notes, &list, first, first + gap - 1);
    }
    snprintf(what, sizeof what, "of %" PRId64 ": no log", merged->ranks.world_size);
    list_end(notes, &list, what);
}

static void ranks_count_note(struct notes *notes)
{
    const struct merged *merged = notes->merged;
    swi_text_format(&notes->text, "%zu of %" PRId64 " ranks, %" PRId64 " training steps",
                    merged->count, merged->ranks.world_size, merged->ranks.steps);
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
    const struct sw_ranks *ranks = &notes->merged->ranks;
    swi_text_put(&notes->text, ranks->sentence);
    if (ranks->why && strcmp(ranks->why, "no wait") == 0)
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
                    partial.path, partial.has ? "has" : "lacks", row->is.phase, row->is.action,
                    row->is.ranks, merged->count);
    note_end(notes);
}

void merged_notes(const struct merged *merged, merged_note_fn *note, void *arg)
{
    struct notes notes = {.merged = merged, .note = note, .arg = arg};
    ranks_count_note(&notes);
    balance_note(&notes);
    straggler_note(&notes);
    missing_note(&notes);
    ranks_note(&notes, "did not finish: the last line of the log is not whole", LOG_TORN);
    ranks_note(&notes, "lost lines, which are damaged in the log", LOG_DAMAGED);
    ranks_note(&notes, "did not store each step: percentiles and deviations are not exact",
               LOG_THINNED);
    ranks_note(&notes, "did not finish", LOG_STOPPED);
    for (size_t i = 0; i < merged->rows.count; i++)
        partial_note(&notes, &merged->rows.item[i]);
    swi_text_free(&notes.text);
}
