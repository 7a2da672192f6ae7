/* SPDX-License-Identifier: MIT */
#include "tools/log/player.h"

#include "core/text/parts.h"

#include <stepwatch/finding.h>
#include <stepwatch/replay.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- findings -------------------------------------------------------------------------------- */

/* What a report points to. Texts are borrowed from the lines. */
struct pieces {
    size_t rows, shaped, counters, misuses;
    struct sw_report_row *row;      /* those by shape after the others */
    struct sw_counter_total *total; /* `counters` of each row */
    struct sw_bin *bin;             /* of all histograms */
    size_t bins;                    /* those that were read so far */
    struct sw_misuse *misuse;
    size_t findings;
    struct sw_finding *finding;
    struct sw_evidence *evidence; /* of all findings */
    int64_t *step;                /* of all evidence */
};

/* Evidence is every field that is not one of these. */
static bool is_evidence(const char *key)
{
    return !SWI_IS_ONE_OF(key, "type", "t", "fit", "id", "level", "gain", "text", "next", "by");
}

static enum sw_finding_level level_of(const struct log_value *line)
{
    const char *level = log_string(line, "level", "");
    return strcmp(level, "high") == 0     ? SW_FINDING_HIGH
           : strcmp(level, "medium") == 0 ? SW_FINDING_MEDIUM
                                          : SW_FINDING_NOTE;
}

static bool findings_room(struct pieces *pieces, const struct kept_lines *lines)
{
    size_t evidence = 0, steps = 0;
    for (size_t i = 0; i < lines->count; i++) {
        const struct log_value *line = lines->line[i];
        evidence += line->size;
        for (const struct log_value *key = log_first_key(line); key; key = log_next_key(line, key))
            steps += log_is(key + 1, LOG_ARRAY) ? key[1].size : 0;
    }
    pieces->finding = calloc(lines->count + 1, sizeof *pieces->finding);
    pieces->evidence = calloc(evidence + 1, sizeof *pieces->evidence);
    pieces->step = calloc(steps + 1, sizeof *pieces->step);
    return pieces->finding && pieces->evidence && pieces->step;
}

/* In a log, NaN and the infinities are strings. */
static struct sw_evidence evidence_of(const char *name, const struct log_value *value,
                                      int64_t **step)
{
    struct sw_evidence evidence = {.name = name, .kind = SW_EVIDENCE_FLAG};
    if (log_is(value, LOG_INTEGER)) {
        evidence.kind = SW_EVIDENCE_COUNT;
        evidence.count = log_whole(value);
    } else if (log_is(value, LOG_ARRAY)) {
        evidence.kind = SW_EVIDENCE_STEPS;
        evidence.count = (int64_t)log_count(value);
        evidence.step = *step;
        for (const struct log_value *v = log_first(value); v; v = log_after(value, v))
            *(*step)++ = log_whole(v);
    } else if (log_is(value, LOG_REAL) ||
               (log_is(value, LOG_STRING) && log_number(value, 0) != 0)) {
        evidence.kind = SW_EVIDENCE_NUMBER;
        evidence.number = log_number(value, NAN);
    } else if (log_is(value, LOG_STRING)) {
        evidence.kind = SW_EVIDENCE_TEXT;
        evidence.text = log_text(value);
    }
    return evidence;
}

static bool findings_read(struct pieces *pieces, const struct kept_lines *lines)
{
    if (!findings_room(pieces, lines))
        return false;
    struct sw_evidence *evidence = pieces->evidence;
    int64_t *step = pieces->step;
    for (size_t i = 0; i < lines->count; i++) {
        const struct log_value *line = lines->line[i];
        struct sw_finding finding = {.id = log_string(line, "id", ""),
                                     .level = level_of(line),
                                     .gain = log_real(line, "gain", 0),
                                     .text = log_string(line, "text", ""),
                                     .next = log_string(line, "next", ""),
                                     .evidence_size = sizeof *evidence,
                                     .evidence = evidence};
        for (const struct log_value *key = log_first_key(line); key; key = log_next_key(line, key))
            if (is_evidence(key->text))
                *evidence++ = evidence_of(key->text, key + 1, &step);
        finding.evidence_count = (size_t)(evidence - finding.evidence);
        pieces->finding[pieces->findings++] = finding;
    }
    return true;
}

/* ---- counters -------------------------------------------------------------------------------- */

/* The row step costs no readings of its own: those are counted in draw and batch. */
static struct sw_counter_total total_of(const struct log_value *counter,
                                        const struct sw_report_row *row,
                                        const struct log_value *line)
{
    const struct sw_counter_info info = counter_of(counter);
    struct sw_counter_total total = {.name = info.name,
                                     .kind = info.kind,
                                     .unit = info.unit,
                                     .calls = row->calls,
                                     .standard = info.standard};
    const struct log_value *use = log_get(log_get(line, "counters"), total.name);
    double reading_ns = log_real(counter, "reading_ns", 0);
    total.total = counter_value(log_at(use, 0));
    total.self = counter_value(log_at(use, 1));
    if (use && strcmp(row->action, "step") != 0)
        total.reading_ns = reading_ns * (double)row->calls;
    return total;
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* The last one that ends at a finite number. */
enum { LAST_BIN = 131006 };

/* Returns the shortest duration of a bin (docs/run-log.md). */
static double edge_of(int64_t bin)
{
    uint64_t bits = (uint64_t)bin << 46;
    double ns;
    memcpy(&ns, &bits, sizeof ns);
    return ns;
}

/* previous: the bin before it in the histogram; -1: none. */
static int bin_read(struct sw_bin *bin, const struct log_value *pair, int64_t previous,
                    struct sw_error *err)
{
    int64_t number = log_whole(log_at(pair, 0));
    int64_t count = log_whole(log_at(pair, 1));
    if (number <= previous || number > LAST_BIN || count <= 0)
        return sw_error_set(
            err, SW_EFORMAT,
            "\"report\" has a row whose \"hist\" is not ascending bins from 0 to %d, "
            "with their counts",
            LAST_BIN);
    *bin = (struct sw_bin){edge_of(number), edge_of(number + 1), (uint64_t)count};
    return 0;
}

static int bins_read(struct pieces *pieces, struct sw_distribution *d, const struct log_value *hist,
                     struct sw_error *err)
{
    int64_t previous = -1;
    d->bin = pieces->bin + pieces->bins;
    d->bin_stride = sizeof *d->bin;
    for (const struct log_value *pair = log_first(hist); pair; pair = log_after(hist, pair)) {
        int rc = bin_read(&pieces->bin[pieces->bins++], pair, previous, err);
        if (rc < 0)
            return rc;
        previous = log_whole(log_at(pair, 0));
        d->bin_count++;
    }
    return 0;
}

/* A log has no single values, and only the mean of the rates. */
static int distributions_read(struct pieces *pieces, struct sw_report_row *row,
                              const struct log_value *line, struct sw_error *err)
{
    row->durations = (struct sw_distribution){.count = row->calls,
                                              .mean = row->mean_ns,
                                              .variance = row->std_ns * row->std_ns,
                                              .min = log_real(line, "min_ns", NAN),
                                              .max = log_real(line, "max_ns", NAN)};
    if (isfinite(row->samples_per_s))
        row->rates = (struct sw_distribution){.count = row->calls,
                                              .mean = row->samples_per_s,
                                              .variance = NAN,
                                              .min = NAN,
                                              .max = NAN};
    return bins_read(pieces, &row->durations, log_get(line, "hist"), err);
}

static int row_read(struct pieces *pieces, struct sw_report_row *row, const struct log_value *line,
                    struct sw_error *err)
{
    int phase = log_phase(line);
    if (phase < 0)
        return sw_error_set(err, SW_EFORMAT, "\"report\" has a row of phase %s, which is not known",
                            log_string(line, "phase", "?"));
    *row = (struct sw_report_row){
        .phase_id = (enum sw_phase)phase,
        .phase = log_string(line, "phase", ""),
        .action = log_string(line, "action", ""),
        .calls = log_integer(line, "calls", 0),
        .mean_ns = log_real(line, "mean_ns", NAN),
        .std_ns = log_real(line, "std_ns", NAN),
        .total_ns = log_real(line, "total_ns", NAN),
        .self_ns = log_real(line, "self_ns", NAN),
        .p50_ns = log_real(line, "p50_ns", NAN),
        .p95_ns = log_real(line, "p95_ns", NAN),
        .p99_ns = log_real(line, "p99_ns", NAN),
        .share = log_real(line, "share", NAN),
        .samples_per_s = log_real(line, "samples_per_s", NAN),
        .overall_samples_per_s = log_real(line, "overall_samples_per_s", NAN),
        .first_use = log_integer(line, "first_use", INT64_MAX),
        .shape = log_string(line, "shape", ""),
    };
    return distributions_read(pieces, row, line, err);
}

static int rows_read(struct pieces *pieces, size_t first, const struct log_value *lines,
                     const struct log_value *counters, struct sw_error *err)
{
    for (const struct log_value *line = log_first(lines); line;
         line = log_after(lines, line), first++) {
        struct sw_report_row *row = &pieces->row[first];
        struct sw_counter_total *total = &pieces->total[first * pieces->counters];
        int rc = row_read(pieces, row, line, err);
        if (rc < 0)
            return rc;
        row->counter = pieces->counters ? total : NULL;
        for (size_t k = 0; k < pieces->counters; k++)
            total[k] = total_of(log_at(counters, k), row, line);
    }
    return 0;
}

/* ---- the report ------------------------------------------------------------------------------ */

static size_t bins_count(const struct log_value *rows)
{
    size_t count = 0;
    for (const struct log_value *row = log_first(rows); row; row = log_after(rows, row))
        count += log_count(log_get(row, "hist"));
    return count;
}

static bool pieces_init(struct pieces *pieces, const struct log_value *line,
                        const struct kept_lines *findings)
{
    const struct log_value *misuses = log_get(line, "misuse");
    pieces->rows = log_count(log_get(line, "rows"));
    pieces->shaped = log_count(log_get(line, "rows_by_shape"));
    pieces->counters = log_count(log_get(line, "counters"));
    if (pieces->counters > PLAYED_COUNTERS)
        pieces->counters = PLAYED_COUNTERS;
    size_t rows = pieces->rows + pieces->shaped;
    pieces->row = calloc(rows + 1, sizeof *pieces->row);
    pieces->total = calloc((rows + 1) * (pieces->counters + 1), sizeof *pieces->total);
    pieces->bin =
        calloc(bins_count(log_get(line, "rows")) + bins_count(log_get(line, "rows_by_shape")) + 1,
               sizeof *pieces->bin);
    pieces->misuse = calloc(log_count(misuses) + 1, sizeof *pieces->misuse);
    if (!pieces->row || !pieces->total || !pieces->bin || !pieces->misuse)
        return false;
    for (const struct log_value *m = log_first(misuses); m; m = log_after(misuses, m))
        pieces->misuse[pieces->misuses++] =
            (struct sw_misuse){log_string(m, "text", ""), log_integer(m, "times", 0)};
    return findings_read(pieces, findings);
}

static void pieces_fini(struct pieces *pieces)
{
    free(pieces->row);
    free(pieces->total);
    free(pieces->bin);
    free(pieces->misuse);
    free(pieces->finding);
    free(pieces->evidence);
    free(pieces->step);
}

static struct sw_accounting accounting_of(const struct log_value *line)
{
    struct sw_accounting a = {.accounted_ns = log_real(line, "accounted_ns", NAN),
                              .other_ns = log_real(line, "other_ns", NAN),
                              .own_ns = log_real(line, "own_ns", NAN),
                              .own_threads_ns = log_real(line, "own_threads_ns", 0),
                              .steps = log_integer(line, "steps", 0),
                              .misuses = log_integer(line, "misuses", 0),
                              .discarded = log_integer(line, "discarded", 0),
                              .joules = log_real(line, "joules", 0),
                              .rss_bytes = log_integer(line, "rss_bytes", 0),
                              .peak_rss_bytes = log_integer(line, "peak_rss_bytes", 0)};
    a.own_ns_per_step = a.steps ? a.own_ns / (double)a.steps : 0;
    return a;
}

static struct sw_overall overall_of(const struct log_value *line)
{
    return (struct sw_overall){.samples = log_integer(line, "samples", 0),
                               .elapsed_ns = log_real(line, "elapsed_ns", NAN),
                               .samples_per_s = log_real(line, "samples_per_s", NAN)};
}

static struct sw_report report_of(const struct log_value *line, const struct pieces *pieces)
{
    bool throughput = strcmp(log_string(line, "mode", "simple"), "throughput") == 0;
    return (struct sw_report){
        .size = sizeof(struct sw_report),
        .mode = throughput ? SW_MODE_THROUGHPUT : SW_MODE_SIMPLE,
        .fit = (int)log_integer(line, "fit", 1),
        .complete = !log_false(line, "complete"),
        .interrupted = log_true(line, "interrupted"),
        .drop_first_batch = log_true(line, "drop_first_batch"),
        .epoch = log_integer(line, "epochs", 0),
        .step = log_integer(line, "step", 0),
        .fit_ns = log_real(line, "fit_ns", NAN),
        .started_s = log_real(line, "started", NAN),
        .accounting = accounting_of(line),
        .count = pieces->rows,
        .row_size = sizeof *pieces->row,
        .row = pieces->row,
        .tick_ns = 1,
        .overall_train = overall_of(log_get(line, "overall_train")),
        .overall_valid = overall_of(log_get(line, "overall_valid")),
        .misuse_count = pieces->misuses,
        .misuse_size = sizeof *pieces->misuse,
        .misuse = pieces->misuse,
        .amended = log_true(line, "amended"),
        .inserted = log_true(line, "inserted"),
        .counter_count = pieces->counters,
        .counter_size = sizeof *pieces->total,
        .finding_count = pieces->findings,
        .finding_size = sizeof *pieces->finding,
        .finding = pieces->finding,
        .preempted = log_integer(line, "preempted", -1),
        .gpu = log_string(line, "gpu", ""),
        .shaped_count = pieces->shaped,
        .shaped = pieces->row + pieces->rows,
        .waited_ns = log_real(line, "waited_ns", 0),
    };
}

/* Rows of `after` are the last ones. */
static size_t without_after(const struct sw_report_row *row, size_t count)
{
    while (count && row[count - 1].phase_id == SW_PHASE_AFTER)
        count--;
    return count;
}

/* Of a report that adds rows, sinks show only these: they must have the one before, which is not in
 * a summary. */
static int report_log(struct played_reports *played, struct sw_profiler *sw,
                      const struct sw_report *report, struct sw_error *err)
{
    int rc = 0;
    if (report->amended && played->logged != report->fit) {
        struct sw_report before = *report;
        before.amended = false;
        before.count = without_after(report->row, report->count);
        before.shaped_count = without_after(report->shaped, report->shaped_count);
        rc = sw_log_report(sw, &before, err);
    }
    played->logged = report->fit;
    return rc < 0 ? rc : sw_log_report(sw, report, err);
}

static int read_and_log(struct pieces *pieces, struct played_reports *played,
                        struct sw_profiler *sw, const struct log_value *line,
                        const struct kept_lines *findings, struct sw_error *err)
{
    const struct log_value *counters = log_get(line, "counters");
    if (!pieces_init(pieces, line, findings))
        return sw_error_set(err, SW_ENOMEM, "not enough memory for a report");
    int rc = rows_read(pieces, 0, log_get(line, "rows"), counters, err);
    if (rc == 0)
        rc = rows_read(pieces, pieces->rows, log_get(line, "rows_by_shape"), counters, err);
    if (rc < 0)
        return rc;
    struct sw_report report = report_of(line, pieces);
    return report_log(played, sw, &report, err);
}

void played_finding(struct played_reports *played, const struct log_value *line)
{
    int64_t fit = log_integer(line, "fit", 1);
    if (fit != played->fit)
        kept_lines_free(&played->findings);
    played->fit = fit;
    kept_lines_add(&played->findings, line);
}

int played_report(struct played_reports *played, struct sw_profiler *sw,
                  const struct log_value *line, struct sw_error *err)
{
    static const struct kept_lines none;
    struct pieces pieces = {0};
    bool found = played->fit == log_integer(line, "fit", 1);
    if (!log_is(log_get(line, "rows"), LOG_ARRAY))
        return sw_error_set(err, SW_EFORMAT, "\"report\" without rows");
    int rc = read_and_log(&pieces, played, sw, line, found ? &played->findings : &none, err);
    played->count += rc == 0;
    pieces_fini(&pieces);
    return rc;
}

void played_reports_fini(struct played_reports *played)
{
    kept_lines_free(&played->findings);
    *played = (struct played_reports){0};
}
