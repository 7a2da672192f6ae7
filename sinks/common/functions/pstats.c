/* SPDX-License-Identifier: MIT */
/* Follows pstats exactly: its widths, blanks and empty lines. */
#include "sinks/common/functions/pstats.h"
#include "sinks/common/functions/python_text.h"

#include "core/text/buffer.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct pstats_row {
    const struct function *function;
    size_t number;
    char *shown;
};

/* ---- sort keys ---- */

enum sort {
    CALLS,
    PRIMITIVE,
    INTERNAL,
    CUMULATIVE,
    FILE_NAME,
    LINE,
    NAME,
    NAME_FILE_LINE,
    STANDARD
};

static const struct {
    const char *key, *shown;
    enum sort sort;
} keys[] = {
    {"calls", "call count", CALLS},
    {"ncalls", "call count", CALLS},
    {"pcalls", "primitive call count", PRIMITIVE},
    {"time", "internal time", INTERNAL},
    {"tottime", "internal time", INTERNAL},
    {"cumulative", "cumulative time", CUMULATIVE},
    {"cumtime", "cumulative time", CUMULATIVE},
    {"filename", "file name", FILE_NAME},
    {"module", "file name", FILE_NAME},
    {"line", "line number", LINE},
    {"name", "function name", NAME},
    {"nfl", "name/file/line", NAME_FILE_LINE},
    {"stdname", "standard name", STANDARD},
};
enum { KEYS = sizeof keys / sizeof *keys };

/* Returns the number of a key, which may be abbreviated if that is unique, or -1. */
static int key_find(const char *text)
{
    int found = -1, count = 0;
    for (int i = 0; i < KEYS; i++) {
        if (strcmp(keys[i].key, text) == 0)
            return i;
        if (*text && strncmp(keys[i].key, text, strlen(text)) == 0) {
            found = i;
            count++;
        }
    }
    return count == 1 ? found : -1;
}

static int by_number(double a, double b)
{
    return a > b ? -1 : a < b;
}

static int by_text(const char *a, const char *b)
{
    return strcmp(a, b);
}

static int compare_by(enum sort sort, const struct pstats_row *a, const struct pstats_row *b)
{
    const struct function *f = a->function, *g = b->function;
    int names;
    switch (sort) {
    case CALLS:
        return by_number((double)f->counts.nc, (double)g->counts.nc);
    case PRIMITIVE:
        return by_number((double)f->counts.cc, (double)g->counts.cc);
    case INTERNAL:
        return by_number(f->counts.tt, g->counts.tt);
    case CUMULATIVE:
        return by_number(f->counts.ct, g->counts.ct);
    case FILE_NAME:
        return by_text(f->file, g->file);
    case LINE:
        return by_number((double)g->line, (double)f->line);
    case NAME:
        return by_text(f->name, g->name);
    case NAME_FILE_LINE:
        names = by_text(f->name, g->name);
        if (!names)
            names = by_text(f->file, g->file);
        return names ? names : by_number((double)g->line, (double)f->line);
    default:
        return by_text(a->shown, b->shown);
    }
}

struct order {
    enum sort sort[PSTATS_SORTS];
    int count;
};

/* Equal rows stay in order. */
static int rows_compare(const void *a, const void *b, void *arg)
{
    const struct order *order = arg;
    const struct pstats_row *x = a, *y = b;
    for (int i = 0; i < order->count; i++) {
        int result = compare_by(order->sort[i], x, y);
        if (result)
            return result;
    }
    return x->number < y->number ? -1 : 1;
}

static void rows_sort(struct pstats_row *rows, size_t count, const struct pstats *how)
{
    struct order order = {.count = 0};
    for (int i = 0; i < PSTATS_SORTS && how->sort[i]; i++)
        order.sort[order.count++] = keys[key_find(how->sort[i])].sort;
    if (order.count)
        qsort_r(rows, count, sizeof *rows, rows_compare, &order);
    for (size_t i = 0; how->reverse && i < count / 2; i++) {
        struct pstats_row swapped = rows[i];
        rows[i] = rows[count - 1 - i];
        rows[count - 1 - i] = swapped;
    }
}

/* ---- restrictions ---- */

enum kind { FIRST, SHARE, PATTERN };

/* Returns the kind of a restriction: an integer, a fraction, or a regular expression. 1.0 is a
 * fraction that leaves out nothing. */
static enum kind restriction_of(const char *text, double *value)
{
    char *end;
    errno = 0;
    *value = strtod(text, &end);
    if (end == text || *end || !isfinite(*value) || strpbrk(text, "xXpP"))
        return PATTERN;
    return strpbrk(text, ".eE") ? SHARE : FIRST;
}

static size_t rows_match(struct pstats_row *rows, size_t count, const char *pattern)
{
    regex_t regex;
    size_t kept = 0;
    if (python_regex(&regex, pattern) != 0)
        return count;
    for (size_t i = 0; i < count; i++) {
        struct pstats_row row = rows[i];
        if (regexec(&regex, row.shown, 0, NULL, 0) == 0) {
            rows[i] = rows[kept];
            rows[kept++] = row;
        }
    }
    regfree(&regex);
    return kept;
}

/* Prints a value in the format of Python. */
static void restriction_print(struct swi_text *said, const char *text, enum kind kind)
{
    if (kind == PATTERN)
        python_repr(said, text);
    else
        swi_text_put(said, text);
}

static size_t rows_restrict(struct pstats_row *rows, size_t count, const char *text,
                            struct swi_text *said)
{
    double value;
    enum kind kind = restriction_of(text, &value);
    size_t kept = count;
    if (kind == PATTERN)
        kept = rows_match(rows, count, text);
    else if (kind == SHARE && value >= 0 && value < 1)
        kept = (size_t)((double)count * value + 0.5);
    else if (kind == FIRST && value >= 0 && value < (double)count)
        kept = (size_t)value;
    if (kept == count)
        return count;
    swi_text_format(said, "   List reduced from %zu to %zu due to restriction <", count, kept);
    restriction_print(said, text, kind);
    swi_text_put(said, ">\n");
    return kept;
}

int pstats_check(const struct pstats *how, struct sw_error *err)
{
    int sorts = 0;
    for (; how->sort[sorts]; sorts++)
        if (sorts == PSTATS_SORTS || key_find(how->sort[sorts]) < 0)
            return sw_error_set(err, SW_EINVAL,
                                "unknown sort key \"%s\": expected calls, pcalls, tottime, "
                                "cumulative, filename, line, name, nfl or stdname",
                                how->sort[sorts]);
    for (int i = 0; how->restrict_to[i]; i++) {
        double value;
        regex_t regex;
        if (restriction_of(how->restrict_to[i], &value) != PATTERN)
            continue;
        if (python_regex(&regex, how->restrict_to[i]) != 0)
            return sw_error_set(err, SW_EINVAL,
                                "\"%s\" is not a number of rows, a fraction or a regular "
                                "expression",
                                how->restrict_to[i]);
        regfree(&regex);
    }
    return 0;
}

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

static void put_padded(struct swi_text *out, const char *text, int width)
{
    assert(text);
    size_t is = swi_text_width(text);
    swi_text_put(out, text);
    if (is < (size_t)width)
        swi_text_fill(out, ' ', (size_t)width - is);
}

static bool any_edge(const struct stats *stats, const struct pstats_row *rows, size_t count,
                     bool callees, struct other *others)
{
    for (size_t i = 0; i < count; i++) {
        assert(rows[i].function);
        if (callees ? callees_of(stats, rows[i].function, others) : rows[i].function->caller_count)
            return true;
    }
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
    put_padded(out, "Function ", width);
    swi_text_put(out, callees ? "called...\n" : "was called by...\n");
    if (others && any_edge(stats, rows, count, callees, others)) {
        swi_text_fill(out, ' ', (size_t)width);
        swi_text_format(out, "   %s  tottime  cumtime\n", count_title(how));
    }
    for (size_t i = 0; others && i < count; i++) {
        put_padded(out, rows[i].shown, width);
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
        swi_text_format(out, "%s%s", i ? ", " : "", keys[key_find(how->sort[i])].shown);
    swi_text_put(out, "\n");
}

static void put_list(struct swi_text *out, const struct stats *stats, struct pstats_row *rows,
                     const struct pstats *how)
{
    struct swi_text said = {0};
    size_t count = stats->count;
    rows_sort(rows, count, how);
    for (int i = 0; how->restrict_to[i]; i++)
        count = rows_restrict(rows, count, how->restrict_to[i], &said);
    if (how->view == PSTATS_FUNCTIONS)
        put_totals(out, stats, how);
    if (count) {
        put_order(out, how);
        swi_text_add(out, said.data ? said.data : "", said.size);
        swi_text_put(out, "\n");
        if (how->view == PSTATS_FUNCTIONS)
            put_functions(out, how, rows, count);
        else
            put_edges(out, how, stats, rows, count);
    }
    out->failed |= said.failed;
    swi_text_free(&said);
}

bool pstats_print(FILE *out, const struct stats *stats, const struct pstats *how)
{
    struct pstats_row *rows = calloc(stats->count + 1, sizeof *rows);
    struct swi_text text = {.failed = !rows};
    for (size_t i = 0; rows && i < stats->count; i++) {
        rows[i] = (struct pstats_row){&stats->function[i], i, function_shown(&stats->function[i])};
        text.failed |= !rows[i].shown;
    }
    if (!text.failed)
        put_list(&text, stats, rows, how);
    if (text.data)
        fwrite(text.data, 1, text.size, out);
    bool fine = !text.failed;
    for (size_t i = 0; rows && i < stats->count; i++)
        free(rows[i].shown);
    free(rows);
    swi_text_free(&text);
    return fine;
}
