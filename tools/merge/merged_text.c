/* SPDX-License-Identifier: MIT */
#include "tools/merge/merged_text.h"
#include "core/balance/verdict.h"
#include "core/text/escape.h"
#include "tools/output/text.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS = 12, CELL = 64 };

static const char *const headers[COLUMNS] = {"phase",     "action",   "ranks",     "min@rank",
                                             "mean",      "max@rank", "imbalance", "calls",
                                             "call mean", "P50",      "P95",       "P99"};

/* ---- cells ---- */

static void at_rank(char *cell, merged_sum ns, int64_t rank)
{
    char time[TEXT_NUMBER];
    snprintf(cell, CELL, "%s@%" PRId64, ns ? text_time(time, (double)ns) : "0", rank);
}

static void name_cell(char *cell, const char *name)
{
    struct swi_text text = {0};
    swi_escape_terminal(&text, name);
    snprintf(cell, CELL, "%.60s", text.data ? text.data : "");
    swi_text_free(&text);
}

static void row_cells(const struct merged *merged, const struct merged_row *row,
                      char cell[COLUMNS][CELL])
{
    char text[TEXT_NUMBER];
    double calls = row->calls ? (double)row->calls : NAN;
    name_cell(cell[0], row->phase);
    name_cell(cell[1], row->action);
    snprintf(cell[2], CELL, "%" PRId64, row->ranks);
    at_rank(cell[3], row->min, row->min_rank);
    snprintf(cell[4], CELL, "%s", text_time(text, merged_mean(merged, row)));
    at_rank(cell[5], row->max, row->max_rank);
    snprintf(cell[6], CELL, "%s", text_share(text, merged_imbalance(merged, row)));
    snprintf(cell[7], CELL, "%s", text_count(text, (double)row->calls));
    snprintf(cell[8], CELL, "%s", text_time(text, (double)row->sum / calls));
    static const double share[] = {0.50, 0.95, 0.99};
    for (int i = 0; i < 3; i++)
        snprintf(cell[9 + i], CELL, "%s",
                 text_time(text, swi_row_bins_quantile(&row->bins, share[i])));
}

/* ---- sentences ---- */

static void ranks_named(const struct merged *merged, const char *what,
                        bool (*is)(const struct rank_log *log))
{
    size_t count = 0;
    for (size_t i = 0; i < merged->count; i++)
        count += is(&merged->log[i]);
    for (size_t i = 0, shown = 0; i < merged->count && count; i++)
        if (is(&merged->log[i]) && shown++ < 10)
            printf("%s%" PRId64,
                   shown > 1   ? ", "
                   : count > 1 ? "Ranks "
                               : "Rank ",
                   merged->log[i].rank);
    if (count)
        printf("%s %s\n", count > 10 ? " and more" : "", what);
}

static bool is_torn(const struct rank_log *log)
{
    return log->torn;
}

static bool is_unfinished(const struct rank_log *log)
{
    return !log->finished && !log->torn;
}

static void missing_print(const struct merged *merged)
{
    int64_t missing = merged->world_size - (int64_t)merged->count, shown = 0;
    if (missing <= 0)
        return;
    for (int64_t rank = 0; rank < merged->world_size && shown < 10; rank++)
        if (!merged_has(merged, rank))
            printf("%s%" PRId64, shown++ ? ", " : missing > 1 ? "Ranks " : "Rank ", rank);
    printf("%s of %" PRId64 ": no log\n", missing > 10 ? " and more" : "", merged->world_size);
}

/* Names of logs are escaped, as the terminal would obey them. */
static void straggler_print(const struct merged *merged)
{
    const struct swi_straggler *found = &merged->straggler;
    const struct rank_log *log = &merged->log[found->rank];
    struct swi_text text = {0}, shown = {0};
    swi_verdict(&text, found, log->rank, log->host, merged->block);
    swi_escape_terminal(&shown, text.data ? text.data : "");
    printf("%s%s\n", shown.data ? shown.data : "",
           found->why && strcmp(found->why, "no wait") == 0 ? " (--wait allreduce)" : "");
    swi_text_free(&text);
    swi_text_free(&shown);
}

static void notes_print(const struct merged *merged)
{
    char lost[TEXT_NUMBER], shared[TEXT_NUMBER];
    printf("%zu of %" PRId64 " ranks, %zu training steps", merged->count, merged->world_size,
           merged->columns);
    if (merged->left_out)
        printf("; steps left out because not all ranks have them: %" PRId64, merged->left_out);
    printf("\nPerfect balance would save %s; communication that all wait for: %s\n",
           text_share(lost, merged->lost), text_share(shared, merged->communication));
    straggler_print(merged);
    missing_print(merged);
    ranks_named(merged, "did not finish: the last line of the log is not whole", is_torn);
    ranks_named(merged, "did not finish", is_unfinished);
}

/* ---- the forms ---- */

static void widths_find(const struct merged *merged, int width[COLUMNS])
{
    char cell[COLUMNS][CELL];
    for (int c = 0; c < COLUMNS; c++)
        width[c] = (int)strlen(headers[c]);
    for (size_t i = 0; i < merged->rows; i++) {
        row_cells(merged, &merged->row[i], cell);
        for (int c = 0; c < COLUMNS; c++) {
            int wide = (int)swi_text_width(cell[c]);
            width[c] = wide > width[c] ? wide : width[c];
        }
    }
}

/* Texts to the left, numbers to the right. */
static void cell_print(const char *cell, int width, int column)
{
    int pad = width - (int)swi_text_width(cell);
    printf("%s%*s%s%*s", column ? "  " : "", column > 1 ? pad : 0, "", cell, column > 1 ? 0 : pad,
           "");
}

void merged_table(const struct merged *merged)
{
    int width[COLUMNS];
    char cell[COLUMNS][CELL];
    widths_find(merged, width);
    for (int c = 0; c < COLUMNS; c++)
        cell_print(headers[c], width[c], c);
    putchar('\n');
    for (size_t i = 0; i < merged->rows; i++) {
        row_cells(merged, &merged->row[i], cell);
        for (int c = 0; c < COLUMNS; c++)
            cell_print(cell[c], width[c], c);
        putchar('\n');
    }
    putchar('\n');
    notes_print(merged);
}

void merged_markdown(const struct merged *merged)
{
    char cell[COLUMNS][CELL];
    for (int c = 0; c < COLUMNS; c++)
        printf("| %s ", headers[c]);
    puts("|");
    for (int c = 0; c < COLUMNS; c++)
        fputs(c > 1 ? "|---:" : "|---", stdout);
    puts("|");
    for (size_t i = 0; i < merged->rows; i++) {
        struct swi_text name[2] = {{0}, {0}};
        row_cells(merged, &merged->row[i], cell);
        swi_escape_markdown(&name[0], merged->row[i].phase);
        swi_escape_markdown(&name[1], merged->row[i].action);
        for (int c = 0; c < COLUMNS; c++)
            printf("| %s ", c < 2 ? name[c].data ? name[c].data : "" : cell[c]);
        puts("|");
        swi_text_free(&name[0]);
        swi_text_free(&name[1]);
    }
    putchar('\n');
    notes_print(merged);
}

void merged_csv(const struct merged *merged)
{
    puts("phase,action,ranks,calls,min_ns,min_rank,mean_ns,max_ns,max_rank,imbalance,call_mean_ns,"
         "call_std_ns,p50_ns,p95_ns,p99_ns");
    for (size_t i = 0; i < merged->rows; i++) {
        const struct merged_row *row = &merged->row[i];
        struct swi_text text = {0};
        swi_escape_csv(&text, row->phase);
        swi_text_put(&text, ",");
        swi_escape_csv(&text, row->action);
        printf("%s,%" PRId64 ",%" PRId64 ",%.0f,%" PRId64 ",%.15g,%.0f,%" PRId64
               ",%.15g,%.15g,%.15g,%.15g,%.15g,%.15g\n",
               text.data ? text.data : ",", row->ranks, row->calls, (double)row->min, row->min_rank,
               merged_mean(merged, row), (double)row->max, row->max_rank,
               merged_imbalance(merged, row), (double)row->sum / (double)row->calls,
               merged_call_std(row), swi_row_bins_quantile(&row->bins, 0.50),
               swi_row_bins_quantile(&row->bins, 0.95), swi_row_bins_quantile(&row->bins, 0.99));
        swi_text_free(&text);
    }
}
