/* SPDX-License-Identifier: MIT */
/* reports.c - what the report of an epoch or a fit has: the distribution of durations, figures and
 * text. The durations are those of one epoch: a report counts from the beginning of
 * its fit, so the counts of the last epoch's report are subtracted, bin by bin. Bins are compared
 * by their edges in ticks, because edges in nanoseconds move when the clock's rate is refined. */
#include "sinks/tensorboard/tensorboard_sink.h"
#include "core/text/escape.h"
#include "sinks/common/grid.h"
#include "sinks/common/report_output.h"
#include "sinks/common/notes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The most bins of a histogram on the page. The core's bins are 0.8 % wide; 30 are enough to show
 * the shape. */
enum { BINS = 30 };

/* ---- the difference of two reports ----------------------------------------------------------- */

static struct history *history_get(struct tensorboard *t, const struct sw_report_row *row)
{
    for (size_t i = 0; i < t->histories; i++)
        if (t->history[i].phase == row->phase_id && t->history[i].action == row->action_id)
            return &t->history[i];
    if (t->histories == ROWS_MAX)
        return NULL;
    if (!t->history && !(t->history = calloc(ROWS_MAX, sizeof *t->history)))
        return NULL;
    struct history *history = &t->history[t->histories++];
    *history = (struct history){.phase = row->phase_id, .action = row->action_id};
    return history;
}

static void histories_forget(struct tensorboard *t)
{
    for (size_t i = 0; i < t->histories; i++)
        free(t->history[i].bin);
    t->histories = 0;
    t->epoch = 0;
}

/* Edges in ticks are the same in every report except for rounding in the 16th digit. The next bin
 * begins at least 0.8 % later. */
static bool same_bin(const struct sw_bin *a, const struct sw_bin *b)
{
    return fabs(a->low - b->low) <= 1e-6 * b->high;
}

/* Subtracts the history from the bins of now, whose edges in ticks are `ticks`. Returns how many
 * bins are left. */
static size_t bins_subtract(struct sw_bin *now, const struct sw_bin *ticks, size_t count,
                            const struct history *before)
{
    size_t left = 0, k = 0;
    for (size_t i = 0; i < count; i++) {
        struct sw_bin bin = now[i];
        while (k < before->count && before->bin[k].low < ticks[i].low &&
               !same_bin(&before->bin[k], &ticks[i]))
            k++;
        if (k < before->count && same_bin(&before->bin[k], &ticks[i]))
            bin.count -= before->bin[k].count < bin.count ? before->bin[k].count : bin.count;
        if (bin.count > 0)
            now[left++] = bin;
    }
    return left;
}

static struct sw_bin in_unit(const struct sw_bin *bin, double unit)
{
    return (struct sw_bin){bin->low / unit, bin->high / unit, bin->count};
}

/* Compares edges after dividing them by `unit`. */
static struct sw_bin *bins_copy(const struct sw_distribution *d, double unit)
{
    struct sw_bin *bin = malloc((d->bin_count ? d->bin_count : 1) * sizeof *bin);
    for (size_t i = 0; bin && i < d->bin_count; i++)
        bin[i] = in_unit(sw_distribution_bin(d, i), unit);
    return bin;
}

static int64_t bins_sum(const struct sw_bin *bin, size_t count)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += bin[i].count;
    return (int64_t)sum;
}

/* Returns the distribution of this epoch alone. The caller frees its bins. */
static bool epoch_distribution(struct history *history, const struct sw_distribution *now,
                               double tick_ns, struct sw_distribution *epoch)
{
    bool first = history->count == 0;
    struct sw_bin *bin = bins_copy(now, 1), *keep = bins_copy(now, tick_ns);
    if (!bin || !keep) {
        free(bin);
        free(keep);
        return false;
    }
    size_t count = bins_subtract(bin, keep, now->bin_count, history);
    free(history->bin);
    history->bin = keep;
    history->count = now->bin_count;
    *epoch = first ? *now : (struct sw_distribution){.count = bins_sum(bin, count)};
    epoch->bin = bin;
    epoch->bin_count = count;
    epoch->bin_stride = sizeof *bin;
    if (!first && count > 0) {
        epoch->min = bin[0].low;
        epoch->max = bin[count - 1].high;
    }
    return true;
}

/* ---- what is written of it ------------------------------------------------------------------- */

static void to_ms(struct sw_bin *bin, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        bin[i].low *= 1e-6;
        bin[i].high *= 1e-6;
    }
}

/* Joins bins so that at most BINS are left, each wider than the last one by the same ratio. */
static size_t bins_join(struct sw_bin *bin, size_t count)
{
    double from = bin[0].low > 0 ? bin[0].low : bin[0].high;
    double ratio = pow(bin[count - 1].high / from, 1.0 / BINS);
    size_t joined = 0;
    for (size_t i = 1; i < count; i++) {
        double base = bin[joined].low > 0 ? bin[joined].low : 0;
        if (base > 0 && bin[i].high <= base * ratio * (1 + 1e-9)) {
            bin[joined].high = bin[i].high;
            bin[joined].count += bin[i].count;
        } else {
            bin[++joined] = bin[i];
        }
    }
    return joined + 1;
}

static void histogram(struct tensorboard *t, struct stream *stream, const char *name,
                      const struct sw_record *record, struct sw_bin *bin, size_t count)
{
    char tag[TAG_MAX];
    snprintf(tag, sizeof tag, GROUP_HISTOGRAM "/%s", name);
    event_stream_describe(t, stream, record->wall_s, tag,
                          "Durations of the calls of `%s` in each epoch, in milliseconds.", name);
    to_ms(bin, count);
    sw_tb_histogram(event_stream_tb(t, stream, record->wall_s), tag, record->report->step, bin,
                    bins_join(bin, count));
}

static void band(struct tensorboard *t, struct stream *stream, const char *name,
                 const struct sw_record *record, const struct sw_distribution *epoch)
{
    static const struct {
        const char *end, *what;
        double p;
    } parts[] = {{"_p5", "5th percentile", 0.05},
                 {"_p50", "Median", 0.5},
                 {"_p95", "95th percentile", 0.95}};
    char base[TAG_MAX - 8], tag[TAG_MAX];
    snprintf(base, sizeof base, GROUP_BAND "/%s", name);
    for (size_t i = 0; i < 3; i++) {
        snprintf(tag, sizeof tag, "%s%s", base, parts[i].end);
        event_stream_describe(t, stream, record->wall_s, tag,
                              "%s of the durations of `%s` in each epoch, in milliseconds.",
                              parts[i].what, name);
        event_stream_point(t, stream, record->report->step, record->wall_s, tag,
                           sw_quantile(epoch, parts[i].p) * 1e-6);
    }
    charts_has_band(t, base);
}

/* fit, epoch, train and valid are called once an epoch, so their distribution would have one value.
 */
static bool has_distribution(const struct sw_report_row *row)
{
    bool whole = row->action_id == SW_FIT || row->action_id == SW_EPOCH ||
                 row->action_id == SW_TRAIN || row->action_id == SW_VALID;
    return !whole && row->durations.bin_count > 0;
}

static void distribution_write(struct tensorboard *t, const struct sw_record *record,
                               const struct sw_report_row *row, const struct sw_distribution *epoch,
                               struct sw_bin *bin)
{
    struct stream *stream = event_stream_of(t, row->phase_id);
    char name[TAG_MAX - 32];
    snprintf(name, sizeof name, "%s%s%s", event_stream_is_root(stream) ? row->phase : "",
             event_stream_is_root(stream) ? "_" : "", row->action);
    band(t, stream, name, record, epoch);
    if (t->histograms)
        histogram(t, stream, name, record, bin, epoch->bin_count);
}

/* alone: the calls since the last report all belong to one epoch. */
static void row_write(struct tensorboard *t, const struct sw_record *record,
                      const struct sw_report_row *row, bool alone)
{
    struct sw_distribution epoch;
    struct history *history = history_get(t, row);
    double tick_ns = record->report->tick_ns;
    if (!history || !epoch_distribution(history, &row->durations, tick_ns, &epoch))
        return;
    struct sw_bin *bin = (struct sw_bin *)(uintptr_t)epoch.bin;
    if (epoch.bin_count > 0 && alone)
        distribution_write(t, record, row, &epoch, bin);
    free(bin);
}

/* Returns whether all calls since the last report belong to one epoch. A report in between may have
 * been dropped. */
static bool is_next(struct tensorboard *t, const struct sw_report *report)
{
    bool next = report->epoch == t->epoch + 1;
    t->epoch = report->epoch;
    return next;
}

void epoch_record(struct tensorboard *t, const struct sw_record *record)
{
    const struct sw_report *report = record->report;
    if (t->figures == FIGURES_METRICS)
        return;
    if (report->fit != t->fit)
        histories_forget(t);
    t->fit = report->fit;
    bool alone = is_next(t, report);
    for (size_t i = 0; i < report->count; i++)
        if (has_distribution(sw_report_row(report, i)))
            row_write(t, record, sw_report_row(report, i), alone);
    charts_update(t, report->step, record->wall_s);
}

void epoch_fini(struct tensorboard *t)
{
    histories_forget(t);
    free(t->history);
    t->history = NULL;
}

/* ---- the report of a fit, as text and as scalars --------------------------------------------- */

/* Writes the report of a fit: as tables for the Text page, and its figures as scalars,
 * which the HParams page and scripts can compare. */

/* The page needs half a second for a table of 64 KiB, and a minute for one of a megabyte. */
enum { TEXT_MAX = 60000 };

/* ---- tables ---------------------------------------------------------------------------------- */

static void table_add(struct swi_text *text, const struct swi_grid *grid)
{
    size_t rows = swi_markdown_table(text, grid, false, TEXT_MAX);
    if (rows < grid->rows)
        swi_text_format(text,
                        "\n%zu more rows are omitted because the page shows long tables slowly. "
                        "The sinks table, markdown and csv have them.\n",
                        grid->rows - rows);
}

/* Each note becomes a paragraph. */
static void notes_below(struct swi_text *text, const struct sw_report *report)
{
    SWI_FREED struct swi_text notes = {0};
    swi_notes_dropped(&notes, report);
    swi_notes_accounting(&notes, report, swi_escape_markdown);
    if (report->show_accounting)
        swi_findings_notes(&notes, report, swi_escape_markdown);
    for (const char *c = notes.data ? notes.data : ""; *c;) {
        size_t line = strcspn(c, "\n");
        swi_text_put(text, "\n");
        swi_text_add(text, c, line);
        swi_text_put(text, "\n");
        c += line + (c[line] == '\n');
    }
}

static void text_write(struct tensorboard *t, const struct sw_record *record, const char *tag,
                       const char *about, const struct swi_grid *grid, bool notes)
{
    struct swi_text text = {0};
    table_add(&text, grid);
    if (notes)
        notes_below(&text, record->report);
    event_stream_text(t, record->wall_s, tag, about, record->report->step, &text);
}

static void texts_write(struct tensorboard *t, const struct sw_record *record)
{
    struct swi_grid grid;
    if (swi_grid_init(&grid, record->report, SWI_FORMATTED, SWI_COLUMNS_STANDARD,
                      swi_escape_markdown))
        text_write(t, record, "profile_report", "The report of the fit.", &grid, true);
    swi_grid_fini(&grid);
    if (swi_grid_init(&grid, record->report, SWI_RAW_MS, SWI_COLUMNS_STANDARD, swi_escape_markdown))
        text_write(t, record, "profile_results",
                   "The report of the fit with plain numbers, in milliseconds.", &grid, false);
    swi_grid_fini(&grid);
}

/* ---- figures --------------------------------------------------------------------------------- */

static void figure(struct tensorboard *t, const struct sw_record *record,
                   const struct sw_report_row *row, const char *what, const char *about,
                   double value)
{
    struct stream *stream = event_stream_of(t, row->phase_id);
    char tag[TAG_MAX];
    bool in_root = event_stream_is_root(stream), is_fit = row->action_id == SW_FIT;
    snprintf(tag, sizeof tag, GROUP_FIT "/%s%s%s_%s", in_root ? row->phase : "",
             in_root && !is_fit ? "_" : "", is_fit ? "" : row->action, what);
    event_stream_describe(t, stream, record->wall_s, tag, about, row->action);
    event_stream_point(t, stream, record->report->step, record->wall_s, tag, value);
}

static void row_figures(struct tensorboard *t, const struct sw_record *record,
                        const struct sw_report_row *row)
{
    if (row->rates.count > 0 && isfinite(row->samples_per_s))
        figure(t, record, row, "throughput",
               "Samples per second of `%s`, as in the report: the mean over the batches of the "
               "whole fit.",
               row->samples_per_s);
    if (row->calls > 0)
        figure(t, record, row, "duration_ms",
               "Mean duration of `%s` in milliseconds, over the whole fit.",
               row->action_id == SW_FIT ? row->total_ns * 1e-6 : row->mean_ns * 1e-6);
}

static void overall_figure(struct tensorboard *t, const struct sw_record *record,
                           enum sw_phase phase, const char *name, double samples_per_s)
{
    const struct sw_report_row row = {
        .phase_id = phase, .phase = name, .action = "overall", .action_id = -1};
    if (isfinite(samples_per_s))
        figure(t, record, &row, "samples_per_s",
               "Samples per second `%s`: all of the phase by the time from its start to its end.",
               samples_per_s);
}

static void overall_figures(struct tensorboard *t, const struct sw_record *record)
{
    const struct sw_report *report = record->report;
    overall_figure(t, record, SW_PHASE_TRAIN, "train", report->overall_train.samples_per_s);
    overall_figure(t, record, SW_PHASE_VALID, "valid", report->overall_valid.samples_per_s);
}

static void figures_write(struct tensorboard *t, const struct sw_record *record)
{
    const struct sw_report news = swi_report_news(record->report);
    for (size_t i = 0; i < news.count && i < ROWS_MAX; i++)
        row_figures(t, record, sw_report_row(&news, i));
    if (!news.amended)
        overall_figures(t, record);
}

void summary_record(struct tensorboard *t, const struct sw_record *record)
{
    if (t->figures == FIGURES_ALL)
        figures_write(t, record);
    charts_update(t, record->report->step, record->wall_s);
    if (t->text)
        texts_write(t, record);
    t->unfinished = record->report->interrupted;
}
