/* SPDX-License-Identifier: MIT */
/* Follows pstats exactly: its widths, blanks and empty lines. */
#include "sinks/common/functions/pstats.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- numbers ---- */

static void put_seconds(struct swi_text *out, double seconds)
{
    swi_text_format(out, "%8.3f", seconds);
}

/* Prints counts aligned right. Longer ones extend the column. */
static void put_calls(struct swi_text *out, const struct counts *counts, int width)
{
    assert(counts);
    char text[64];
    if (counts->nc == counts->cc)
        snprintf(text, sizeof text, "%" PRId64, counts->nc);
    else
        snprintf(text, sizeof text, "%" PRId64 "/%" PRId64, counts->nc, counts->cc);
    swi_text_format(out, "%*s", width, text);
}

static void put_share(struct swi_text *out, double seconds, int64_t calls)
{
    swi_text_put(out, " ");
    if (calls)
        put_seconds(out, seconds / (double)calls);
    else
        swi_text_put(out, "        ");
}

/* ---- functions ---- */

static void put_row(struct swi_text *out, const struct pstats_row *row)
{
    const struct counts *counts = &row->function->counts;
    put_calls(out, counts, 9);
    swi_text_put(out, " ");
    put_seconds(out, counts->tt);
    put_share(out, counts->tt, counts->nc);
    swi_text_put(out, " ");
    put_seconds(out, counts->ct);
    put_share(out, counts->ct, counts->cc);
    swi_text_format(out, " %s\n", row->shown);
}

static void put_totals(struct swi_text *out, const struct stats *stats, const struct pstats *how)
{
    struct counts all = {0};
    for (size_t i = 0; i < stats->count; i++)
        counts_add(&all, &stats->function[i].counts);
    swi_text_format(out, "         %" PRId64 " %s", how->sampled ? how->samples : all.nc,
                    how->sampled ? "samples" : "function calls");
    if (!how->sampled && all.nc != all.cc)
        swi_text_format(out, " (%" PRId64 " primitive calls)", all.cc);
    swi_text_format(out, " in %.3f seconds\n\n", all.tt);
}

static const char *count_title(const struct pstats *how)
{
    return how->sampled ? "samples" : " ncalls";
}

static void put_functions(struct swi_text *out, const struct pstats *how,
                          const struct pstats_row *rows, size_t count)
{
    swi_text_format(out, "  %s  tottime  percall  cumtime  percall filename:lineno(function)\n",
                    count_title(how));
    for (size_t i = 0; i < count; i++)
        put_row(out, &rows[i]);
    swi_text_put(out, "\n\n");
}

/* ---- callers and callees ---- */

struct other {
    const struct function *function;
    const struct counts *counts;
};

static int others_compare(const void *a, const void *b)
{
    const struct other *x = a, *y = b;
    return function_compare(x->function, y->function);
}

static size_t callers_of(const struct stats *stats, const struct function *function,
                         struct other *others)
{
    for (size_t i = 0; i < function->caller_count; i++)
        others[i] = (struct other){&stats->function[function->callers[i].caller],
                                   &function->callers[i].counts};
    return function->caller_count;
}

static size_t callees_of(const struct stats *stats, const struct function *function,
                         struct other *others)
{
    size_t count = 0, number = (size_t)(function - stats->function);
    for (size_t i = 0; i < stats->count; i++)
        for (size_t k = 0; k < stats->function[i].caller_count; k++)
            if (stats->function[i].callers[k].caller == number)
                others[count++] =
                    (struct other){&stats->function[i], &stats->function[i].callers[k].counts};
    return count;
}

/* Prints each one after the first on a separate line. */
static void put_others(struct swi_text *out, struct other *others, size_t count, int width)
{
    qsort(others, count, sizeof *others, others_compare);
    for (size_t i = 0; i < count; i++) {
        char *shown = function_shown(others[i].function);
        if (i)
            swi_text_fill(out, ' ', (size_t)width + 1);
        put_calls(out, others[i].counts, i ? 9 : 7);
        swi_text_put(out, " ");
        put_seconds(out, others[i].counts->tt);
        swi_text_put(out, " ");
        put_seconds(out, others[i].counts->ct);
        swi_text_format(out, "  %s\n", shown ? shown : "?");
        free(shown);
    }
    if (!count)
        swi_text_put(out, "\n");
}

/* Like pstats, looks at the whole profile, also if none of its edges is shown. */
static bool any_edge(const struct stats *stats)
{
    for (size_t i = 0; i < stats->count; i++)
        if (stats->function[i].caller_count)
            return true;
    return false;
}

static void put_edges(struct swi_text *out, const struct pstats *how, const struct stats *stats,
                      const struct pstats_row *rows, size_t count)
{
    bool callees = how->view == PSTATS_CALLEES;
    struct other *others = calloc(stats->count + 1, sizeof *others);
    size_t widest = 0;
    out->failed |= !others;
    for (size_t i = 0; i < count; i++)
        if (swi_text_width(rows[i].shown) > widest)
            widest = swi_text_width(rows[i].shown);
    int width = (int)widest + 2;
    swi_text_left(out, "Function ", (size_t)width);
    swi_text_put(out, callees ? "called...\n" : "was called by...\n");
    if (any_edge(stats)) {
        swi_text_fill(out, ' ', (size_t)width);
        swi_text_format(out, "   %s  tottime  cumtime\n", count_title(how));
    }
    for (size_t i = 0; others && i < count; i++) {
        swi_text_left(out, rows[i].shown, (size_t)width);
        swi_text_put(out, callees ? "-> " : "<- ");
        size_t found = callees ? callees_of(stats, rows[i].function, others)
                               : callers_of(stats, rows[i].function, others);
        put_others(out, others, found, width);
    }
    swi_text_put(out, "\n\n");
    free(others);
}

/* ---- all of it ---- */

static void put_order(struct swi_text *out, const struct pstats *how)
{
    if (!how->sort[0]) {
        swi_text_put(out, "   Random listing order was used\n");
        return;
    }
    swi_text_put(out, "   Ordered by: ");
    for (int i = 0; how->sort[i]; i++)
        swi_text_format(out, "%s%s", i ? ", " : "", pstats_order_name(how->sort[i]));
    swi_text_put(out, "\n");
}

bool pstats_print(FILE *out, const struct stats *stats, const struct pstats *how)
{
    struct swi_text text = {0}, reduced = {0};
    size_t count = 0;
    struct pstats_row *rows = pstats_rows_new(stats, how, &count, &reduced);
    if (how->view == PSTATS_FUNCTIONS)
        put_totals(&text, stats, how);
    if (count) {
        put_order(&text, how);
        swi_text_add(&text, reduced.data ? reduced.data : "", reduced.size);
        swi_text_put(&text, "\n");
        if (how->view == PSTATS_FUNCTIONS)
            put_functions(&text, how, rows, count);
        else
            put_edges(&text, how, stats, rows, count);
    }
    bool fine = rows && !text.failed && !reduced.failed;
    if (rows && text.data)
        fwrite(text.data, 1, text.size, out);
    pstats_rows_free(rows, stats->count);
    swi_text_free(&reduced);
    swi_text_free(&text);
    return fine;
}
