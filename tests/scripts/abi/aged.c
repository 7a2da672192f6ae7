/* SPDX-License-Identifier: MIT */
/* aged - a sink that abi.sh builds with the header as it is, with an older and with a newer one. It
 * writes all that the three have in common. */
#include <stepwatch/sink.h>

struct aged {
    const char *path;
    int64_t number;
    const char *const *words;
    FILE *file;
};

#define OPTION(field, kind)                                                                        \
    .name = #field, .type = (kind), .offset = offsetof(struct aged, field), .help = "for tests"

static const struct sw_option options[] = {
    {OPTION(path, SW_OPTION_PATH), .fallback = "aged.txt"},
#ifdef NEWER_OPTION
    {OPTION(number, SW_OPTION_INT), .fallback = "3", .min = 1, .max = 9, .added = 1},
#else
    {OPTION(number, SW_OPTION_INT), .fallback = "3", .min = 1, .max = 9},
#endif
    {OPTION(words, SW_OPTION_LIST), .fallback = "[a, b]"},
    {.name = NULL},
};

static int aged_open(void *state, struct sw_sink *sink, struct sw_error *err)
{
    struct aged *aged = state;
    int rc = sw_sink_create(sink, aged->path, &aged->file, err);
    if (rc == 0)
        fprintf(aged->file, "%s %s %d words %s %s\n", sink->name, sink->run->name,
                (int)aged->number, aged->words[0], aged->words[1]);
    return rc;
}

static void metrics_write(FILE *file, const struct sw_record *record)
{
    for (size_t i = 0; i < record->metrics.count; i++) {
        const struct sw_metric *metric = sw_record_metric(record, i);
        if (metric->name[0] == 'm') /* the program's; the profiler's differ each time */
            fprintf(file, "metric %s %g\n", metric->name, metric->value);
    }
}

static void regions_write(FILE *file, const struct sw_record *record)
{
    for (size_t i = 0; i < record->regions.count; i++) {
        const struct sw_region *region = sw_record_region(record, i);
        fprintf(file, "%s %s %d %d thread %d\n", record->type == SW_RECORD_MARK ? "mark" : "region",
                region->action, (int)region->event, (int)region->phase, region->thread);
    }
}

static void step_write(FILE *file, const struct sw_step *step)
{
    for (size_t i = 0; i < step->count; i++) {
        const struct sw_step_part *part = sw_step_part_at(step, i);
        fprintf(file, "part %s %d inner %d\n", part->action, part->action_id, part->inner);
    }
}

static void distribution_write(FILE *file, const struct sw_distribution *d)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < d->bin_count; i++)
        sum += sw_distribution_bin(d, i)->count;
    fprintf(file, " %d calls, %d in bins, %d kept, quantile %d", (int)d->count, (int)sum,
            (int)d->kept, sw_quantile(d, 0.5) >= d->min && sw_quantile(d, 0.5) <= d->max);
}

static void report_write(FILE *file, const struct sw_report *report)
{
    for (size_t i = 0; i < report->count; i++) {
        const struct sw_report_row *row = sw_report_row(report, i);
        fprintf(file, "row %s %s %d", row->phase, row->action, (int)row->calls);
        distribution_write(file, &row->durations);
        fprintf(file, "\n");
    }
    for (size_t i = 0; i < report->misuse_count; i++)
        fprintf(file, "misuse %s\n", sw_report_misuse(report, i)->text);
    fprintf(file, "steps %d, accounted for %d, samples %d\n", (int)report->accounting.steps,
            report->accounting.accounted_ns <= report->fit_ns, (int)report->overall_train.samples);
}

static int aged_record(void *state, const struct sw_record *record, struct sw_error *err)
{
    FILE *file = ((struct aged *)state)->file;
    (void)err;
    metrics_write(file, record);
    regions_write(file, record);
    if (record->hparam)
        fprintf(file, "hparam %s %d\n", record->hparam->name, (int)record->hparam->integer);
    if (record->step_done)
        step_write(file, record->step_done);
    if (record->report)
        report_write(file, record->report);
    if (record->pause)
        fprintf(file, "paused %d\n", record->pause->paused);
    if (record->end)
        fprintf(file, "end %d %d\n", record->end->exit_status, record->end->signal);
#ifdef NEWER
    const struct sw_metric *metric = sw_record_metric(record, 0);
    if (SW_HAS(record->size, record, added) || SW_HAS(record->metrics.stride, metric, added))
        fprintf(file, "the core is said to have the fields that only this header has\n");
#endif
    return 0;
}

const struct sw_sink_plugin sw_sink_plugin = {
    SW_SINK_HEADER,
    .name = NAME,
    .version = "1.0",
    .license = "MIT",
    .summary = "writes what it gets",
    .wants = SW_WANT(SW_RECORD_RUN) | SW_WANT(SW_RECORD_HPARAM) | SW_WANT(SW_RECORD_METRICS) |
             SW_WANT(SW_RECORD_MARK) | SW_WANT(SW_RECORD_STEP) | SW_WANT(SW_RECORD_REGIONS) |
             SW_WANT(SW_RECORD_EPOCH) | SW_WANT(SW_RECORD_REPORT) | SW_WANT(SW_RECORD_END) |
             SW_WANT(SW_RECORD_PAUSE) | SW_WANT(SW_RECORD_LOST),
    .options = options,
    .state_size = sizeof(struct aged),
    .open = aged_open,
    .record = aged_record,
#ifdef NEWER_PLUGIN
    .added = 1,
#endif
};
