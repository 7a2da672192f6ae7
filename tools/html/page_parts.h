/* SPDX-License-Identifier: MIT */
/* page_parts.h - the sections and drawings of a page. A drawing is an inline SVG with its caption,
 * left out if it has nothing to show. */
#ifndef TOOLS_HTML_PAGE_PARTS_H
#define TOOLS_HTML_PAGE_PARTS_H

#include "tools/log/collect.h"

#include <stepwatch/ranks.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

void put_table(FILE *out, const struct collected *run, const struct collected_report *collected);

/* The begin and the end of any table. heads: HTML of its headers; NULL: it has none. */
void put_table_begin(FILE *out, const char *heads);
void put_table_end(FILE *out);

/* A cell of any table. */
void put_cell(FILE *out, const char *text);
void put_time(FILE *out, double ns);

/* ---- sections -------------------------------------------------------------------------------- */

void put_findings(FILE *out, const struct swi_advice *advice);
void put_config(FILE *out, const struct kept_lines *config);
void put_ranks(FILE *out, const struct sw_ranks *ranks);

/* Prints a table with the total, the self use and the use per call of each counter. Prints nothing
 * for a report without counters. */
void put_counters(FILE *out, const struct collected_report *report);

/* Prints the line that is below the table on the terminal. */
void put_overall(FILE *out, const struct sw_report *report);

void put_accounting(FILE *out, const struct collected_report *collected);

/* Prints each kind of misuse, as in the run's own report. */
void put_misuse(FILE *out, const struct log_value *list);

/* Prints the summary, alerts, texts, tables, histograms and images of a run: the last value of each
 * name, or nothing if there are no values. */
void put_values(FILE *out, const struct collected *run);

/* ---- drawings -------------------------------------------------------------------------------- */

/* Draws where the time of a step goes: one bar and its key. phase: SW_PHASE_TRAIN or
 * SW_PHASE_VALID. */
void draw_bar(FILE *out, const struct collected_report *report, enum sw_phase phase, bool regions);

/* Draws samples per second over the training steps: the median and the band from 5 to 95 %. */
void draw_throughput(FILE *out, const struct collected *run);

/* A chart for each quantity: train/loss and valid/loss share one, and so do loss/a and loss/b if
 * they are of like size. */
void draw_metrics(FILE *out, const struct metric_list *metrics);

/* Maps values to places in a drawing. */
struct scale {
    double low, high; /* values; low < high */
    double from, to;  /* where they are drawn */
    bool logarithmic; /* low > 0 */
};

double scale_position(const struct scale *scale, double value);

/* Fills tick with about `wanted` values within the scale: 1, 2 or 5 times powers of ten, or powers
 * of ten for a logarithmic scale. `whole`: no fractions. Returns how many. */
enum { SCALE_TICKS = 24 };
size_t scale_ticks(const struct scale *scale, size_t wanted, bool whole, double tick[SCALE_TICKS]);

#endif
