/* SPDX-License-Identifier: MIT */
/* runlog - the run as JSON lines, from which every report can be made again (docs/run-log.md). */
#include "core/text/names.h"
#include "core/text/parts.h"
#include "sinks/common/option_rows.h"
#include "sinks/common/runlog/lines.h"
#include "sinks/common/runlog/value_lines.h"
#include "sinks/runlog/log_output.h"
#include "sinks/runlog/region_samples.h"
#include "sinks/runlog/run_summary.h"

#include <stepwatch/stepwatch.h>

#include <inttypes.h>
#include <limits.h>
#include <string.h>

struct runlog {
    const char *path;
    const char *detail;
    const char *histograms;
    const char *values;
    const char *compress;
    const char *own_metrics;
    bool leaves_out_own;        /* the profiler's own metrics */
    bool has_histograms;        /* the effective value in this run */
    bool summarizes;            /* detail: summary */
    struct swi_summary summary; /* only if summarizes */
    struct swi_log_output file; /* not if summarizes: the file is replaced as a whole */
    struct sw_sink *sink;
    struct swi_text lines; /* of one record; reused for its memory */
    struct swi_log_counters counters;
    int64_t begun[SW_VALID + 1]; /* when fit, epoch, train and valid began; -1 if not open */
    int begun_by;                /* the thread of the loop */
    bool windowed;               /* regions are recorded in windows only */
    int64_t window;              /* number of the open window */
    bool changed;                /* true if `begun` changed since the head of the file was set */
    bool flushed;                /* true if the file was flushed since then */
    struct swi_log_index index;
    struct swi_value_files files;
    struct swi_thinning thinning;
    struct swi_region_samples samples;
    int segment; /* number of the newest file */
    /* The files before it, the newest first; NULL: none. They stay open, because only an open file
     * can be removed. */
    FILE *older[SWI_ROTATED_PARTS - 1];
};

static const struct sw_option options[] = {
    SWI_OPTION(PATH, struct runlog, path, "file to write; - is stdout",
               .fallback = "runs/{name}-{time}-{host}-{pid}.jsonl"),
    SWI_OPTION(CHOICE, struct runlog, detail,
               "regions: everything; steps: enough to make the report again; metrics: only "
               "results; summary: a small file for merging ranks, replaced at each epoch",
               .fallback = "steps", .choices = "regions|steps|metrics|summary"),
    SWI_OPTION(
        CHOICE, struct runlog, histograms,
        "write the distribution of each row into the reports, so that \"stepwatch merge\" can "
        "compute percentiles over all ranks; auto: only if the run has several processes",
        .fallback = "auto", .choices = "auto|true|false"),
    SWI_OPTION(
        CHOICE, struct runlog, values,
        "how to store images, files and large tables. beside: as files in the folder LOG.files; "
        "inline: in the lines of the log; none: only their names, sizes and hashes",
        .fallback = "beside", .choices = "beside|inline|none"),
    SWI_OPTION(CHOICE, struct runlog, compress,
               "compress the log while it is written; all commands read it as it is. So is a log "
               "whose name ends in .gz or .zst; zstd takes less time and space",
               .fallback = "none", .choices = "none|gzip|zstd"),
    SWI_OPTION(CHOICE, struct runlog, own_metrics,
               "write the profiler's rolling averages, which commands can also compute from the "
               "steps; auto: not into a compressed log of steps",
               .fallback = "auto", .choices = "auto|true|false"),
    SWI_THINNING_OPTIONS(struct runlog, thinning,
                         "keep the newest steps, in four files NAME.000.jsonl and so on, "
                         "of which the oldest is removed"),
    {.name = NULL},
};

/* ---- the sink -------------------------------------------------------------------------------- */

/* Returns whether regions are recorded in windows only. Then the log has the steps too, from which
 * the report can be made again. */
static bool is_windowed(const struct sw_run *run, const char *detail)
{
    return SW_HAS(run->size, run, windowed) && run->windowed && strcmp(detail, "regions") == 0;
}

#define VALUES                                                                                     \
    (SW_WANT(SW_RECORD_VALUE) | SW_WANT(SW_RECORD_RULE) | SW_WANT(SW_RECORD_SUMMARY) |             \
     SW_WANT(SW_RECORD_LINE))

static enum swi_beside beside_of(const char *values)
{
    return strcmp(values, "none") == 0     ? SWI_NO_VALUES
           : strcmp(values, "inline") == 0 ? SWI_INLINE_VALUES
                                           : SWI_BESIDE;
}

/* Returns whether points may have several steps. */
static bool is_thinned(const struct swi_thinning *thinning)
{
    return thinning->every > 1 || thinning->thin_after || thinning->max_size;
}

static uint32_t wants_of(const char *detail, bool windowed, bool thinned)
{
    uint32_t steps = SW_WANT(SW_RECORD_STEP) | SW_WANT(SW_RECORD_MARK) | SW_WANT(SW_RECORD_PAUSE) |
                     SW_WANT(SW_RECORD_SPAN);
    uint32_t results =
        SW_WANT(SW_RECORD_RUN) | SW_WANT(SW_RECORD_HPARAM) | SW_WANT(SW_RECORD_METRICS) |
        SW_WANT(SW_RECORD_MONITOR) | SW_WANT(SW_RECORD_REPORT) | SW_WANT(SW_RECORD_FINDINGS) |
        SW_WANT(SW_RECORD_END) | SW_WANT(SW_RECORD_LOST) | SW_WANT(SW_RECORD_RANKS) |
        SW_WANT(SW_RECORD_CLOCK) | SW_WANT(SW_RECORD_NOTE) | SW_WANT(SW_RECORD_ALERT) | VALUES;
    if (windowed)
        return results | steps | SW_WANT(SW_RECORD_REGIONS) | SW_WANT(SW_RECORD_WINDOW);
    if (strcmp(detail, "regions") == 0)
        return results | (thinned ? steps : 0) | SW_WANT(SW_RECORD_REGIONS) |
               SW_WANT(SW_RECORD_PAUSE) | SW_WANT(SW_RECORD_SPAN);
    if (strcmp(detail, "summary") == 0)
        return SW_WANT(SW_RECORD_RUN) | SW_WANT(SW_RECORD_HPARAM) | SW_WANT(SW_RECORD_STEP) |
               SW_WANT(SW_RECORD_EPOCH) | SW_WANT(SW_RECORD_REPORT) | SW_WANT(SW_RECORD_END);
    return strcmp(detail, "steps") == 0 ? results | steps : results;
}

/* Returns whether reports get distributions. An older core does not know ranks. */
static bool histograms_are_on(const struct runlog *log, const struct sw_run *run)
{
    bool several = SW_HAS(run->size, run, world_size) && run->world_size != 1;
    return strcmp(log->histograms, "auto") == 0 ? several : strcmp(log->histograms, "true") == 0;
}

static uint32_t runlog_select(const void *state, const struct sw_run *run)
{
    const struct runlog *log = state;
    return wants_of(log->detail, is_windowed(run, log->detail), is_thinned(&log->thinning));
}

/* As with a name of the sink trace. */
static const struct swi_frame_codec *codec_of(const struct runlog *log)
{
    return swi_frame_codec_named(log->compress, log->path);
}

/* A compressed log has the name that was asked for; the one that is chosen here gets an ending. */
static void name_make(const struct runlog *log, const struct sw_run *run, char *name, size_t size)
{
    char own[64], ranked[64];
    snprintf(own, sizeof own, "-%" PRId64 ".jsonl", run->pid);
    snprintf(ranked, sizeof ranked, "-%" PRId64 ".%" PRId64 ".jsonl", run->pid, run->rank);
    bool chosen = strncmp(log->path, "runs/", 5) == 0 &&
                  (swi_ends(log->path, own) || swi_ends(log->path, ranked));
    const struct swi_frame_codec *codec = chosen ? codec_of(log) : NULL;
    snprintf(name, size, "%s%s", log->path, codec ? codec->ending : "");
}

/* Makes the name of a file: run.000.jsonl for run.jsonl. */
static void segment_name(const struct runlog *log, const struct sw_run *run, int number, char *name,
                         size_t size)
{
    char whole[PATH_MAX];
    name_make(log, run, whole, sizeof whole);
    size_t end = swi_length_unpacked(whole), dot = end;
    while (dot > 0 && whole[dot - 1] != '.' && whole[dot - 1] != '/')
        dot--;
    size_t stem = dot > 0 && whole[dot - 1] == '.' ? dot - 1 : end;
    snprintf(name, size, "%.*s.%03d%s", (int)stem, whole, number, whole + stem);
}

/* Returns what else can be chosen here. */
static const char *other_than(const struct swi_frame_codec *codec)
{
    const struct swi_frame_codec *other =
        codec == &swi_zstd_codec ? &swi_gzip_codec : &swi_zstd_codec;
    return other->pack_new ? other->name : "none";
}

static void runlog_check(const void *state, struct sw_sink_check *check)
{
    const struct runlog *log = state;
    swi_thinning_check(&log->thinning, check);
    if (swi_thinning_rotates(&log->thinning) && strcmp(log->path, "-") == 0)
        sw_sink_mistake(check, "when_full", "rotate needs files: set path");
    if (log->thinning.max_size && strcmp(log->detail, "summary") == 0)
        sw_sink_mistake(check, "max_size", "a summary is small: leave it out");
    const struct swi_frame_codec *codec = codec_of(log);
    if (codec && !codec->pack_new)
        sw_sink_mistake(check, "compress",
                        "this sink was built without %s: install it and build again, or choose %s",
                        codec->library, other_than(codec));
}

static int runlog_open(void *state, struct sw_sink *sink, struct sw_error *err)
{
    struct runlog *log = state;
    log->sink = sink;
    memset(log->begun, -1, sizeof log->begun);
    log->changed = log->flushed = true;
    log->has_histograms = histograms_are_on(log, sink->run);
    log->summarizes = strcmp(log->detail, "summary") == 0;
    log->summary.blocks.width = 1;
    log->summary.codec = codec_of(log);
    log->windowed = is_windowed(sink->run, log->detail);
    log->samples.on =
        strcmp(log->detail, "regions") == 0 && !log->windowed && is_thinned(&log->thinning);
    if (log->summarizes)
        return 0;
    char name[PATH_MAX];
    const struct swi_frame_codec *codec = codec_of(log);
    /* Regions tell them only together, and timelines show them. */
    log->leaves_out_own = strcmp(log->own_metrics, "auto") == 0
                              ? codec && strcmp(log->detail, "steps") == 0
                              : strcmp(log->own_metrics, "false") == 0;
    if (swi_thinning_rotates(&log->thinning))
        segment_name(log, sink->run, 0, name, sizeof name);
    else
        name_make(log, sink->run, name, sizeof name);
    int rc = swi_log_output_open(&log->file, sink, name, codec, err);
    if (rc == 0) {
        swi_value_files_init(&log->files, sink, name, beside_of(log->values));
        swi_thinning_begin(&log->thinning, sink, log->path);
    }
    return rc;
}

/* Returns whether regions are in windows, and the steps in lines of their own. */
static bool is_of_windows(const struct runlog *log)
{
    return log->windowed || log->samples.has == SWI_SAMPLED_REGIONS;
}

/* Sets what the file begins with after it is truncated, before the lines since the last flush. It
 * can be read without, except for what is open. */
static void head_set_if_due(struct runlog *log)
{
    bool due = log->flushed && log->changed;
    log->flushed = false;
    if (!due)
        return;
    SWI_FREED struct swi_text text = {0};
    log->changed = false;
    swi_lines_again(&text, log->sink->run, log->detail, is_of_windows(log), log->begun,
                    log->begun_by, &log->counters);
    if (!text.failed)
        swi_log_output_head(&log->file, text.data, text.size);
}

static void begun_note(struct runlog *log, const struct sw_record *record)
{
    bool marks = record->type == SW_RECORD_MARK || !(log->windowed || log->samples.on);
    for (size_t i = 0; marks && i < record->regions.count; i++) {
        const struct sw_region *region = sw_record_region(record, i);
        if (region->action_id < SW_FIT || region->action_id > SW_VALID)
            continue;
        log->begun_by = region->thread;
        log->begun[region->action_id] = region->event == SW_REGION_BEGIN ? region->time_ns : -1;
        log->changed = true;
        swi_log_index_region(&log->index, region);
    }
}

static void expected_note(struct runlog *log, const struct sw_record *record)
{
    if (record->run || record->steps_expected == log->index.expected)
        return;
    swi_lines_expected(&log->lines, record);
    log->index.expected = record->steps_expected;
}

/* Continues in a new file, which can be read without those before it. */
static void segment_next(struct runlog *log)
{
    char name[PATH_MAX];
    struct swi_log_output next = {0};
    struct sw_sink *sink = log->sink;
    SW_ERROR_SCOPE(err);
    segment_name(log, sink->run, log->segment + 1, name, sizeof name);
    if (swi_log_output_open(&next, sink, name, codec_of(log), &err) < 0) {
        sw_sink_say(sink, SW_WARNING, "%s; the log goes on in the file before it",
                    sw_error_text(&err));
        return;
    }
    swi_log_output_close(&log->file);
    if (log->older[SWI_ROTATED_PARTS - 2])
        sw_sink_finish(sink, log->older[SWI_ROTATED_PARTS - 2], "", &err);
    memmove(&log->older[1], log->older, (SWI_ROTATED_PARTS - 2) * sizeof *log->older);
    log->older[0] = log->file.file;
    log->file = next;
    log->segment++;
    swi_value_files_fini(&log->files);
    swi_value_files_init(&log->files, sink, name, beside_of(log->values));
    log->lines.size = 0;
    swi_lines_again(&log->lines, sink->run, log->detail, is_of_windows(log), log->begun,
                    log->begun_by, &log->counters);
    if (!log->lines.failed)
        swi_log_output_add(&log->file, log->lines.data, log->lines.size);
    log->changed = log->flushed = true;
}

/* The lines of other records wait for the last regions, except those that name counters: regions
 * use them too. */
static void lines_store(struct runlog *log, bool regions)
{
    const char *at = log->lines.data;
    bool wait = !regions && swi_region_samples_wait(&log->samples);
    for (size_t left = log->lines.size, size; left; left -= size, at += size) {
        const char *end = wait ? memchr(at, '\n', left) : NULL;
        size = end ? (size_t)(end + 1 - at) : left;
        if (wait && !swi_begins(at, "{\"type\":\"counter\""))
            swi_text_add(&log->samples.waiting, at, size);
        else
            swi_log_output_add(&log->file, at, size);
    }
}

static void stored_count(struct runlog *log)
{
    log->thinning.bytes += (int64_t)log->lines.size;
    if (swi_thinning_part_next(&log->thinning))
        segment_next(log);
}

/* Writes all lines of a record with one fwrite, so that only the last line of the file can be torn.
 */
static int record_write(void *state, const struct sw_record *record, struct sw_error *err)
{
    struct runlog *log = state;
    log->lines.size = 0;
    if (record->type == SW_RECORD_WINDOW)
        log->window = record->window->number;
    head_set_if_due(log);
    expected_note(log, record);
    if (record->run)
        swi_lines_run(&log->lines, record->run, log->detail, log->windowed, &log->counters);
    else if (SW_WANT(record->type) & VALUES)
        swi_value_line(&log->lines, &log->files, record);
    else if (record->type == SW_RECORD_METRICS)
        swi_metric_lines(&log->lines, record, !log->leaves_out_own, &log->thinning);
    else
        swi_lines_record(&log->lines, record, log->has_histograms, log->windowed ? log->window : -1,
                         &log->counters, &log->thinning);
    if (log->lines.failed || log->counters.failed) {
        log->lines.failed = log->counters.failed = false;
        return sw_error_set(err, SW_ENOMEM, "not enough memory for the lines of a record");
    }
    begun_note(log, record);
    if (record->type == SW_RECORD_ALERT)
        swi_log_index_alert(&log->index, record->alert);
    swi_log_index_add(&log->index, &log->lines, record);
    lines_store(log, record->type == SW_RECORD_REGIONS);
    stored_count(log);
    /* Whoever follows the log sees it at once: nothing else may come for a long time. And no damage
     * to the lines after the first one takes that with it. */
    if (record->type == SW_RECORD_ALERT || (record->run && codec_of(log)))
        swi_log_output_flush(&log->file);
    return 0;
}

/* ---- regions, and steps once regions are samples --------------------------------------------- */

/* As long as the log has all regions, it has no steps, and no marks: these are regions too. */
static int step_take(struct runlog *log, const struct sw_record *record, struct sw_error *err)
{
    int64_t stride = swi_thinning_stride(&log->thinning);
    bool all = log->samples.has == SWI_ALL_REGIONS;
    if (all && log->thinning.stopped)
        return 0;
    int rc =
        all ? swi_thinning_step_aside(&log->thinning, record, record_write, log, &stride, err) : 0;
    if (swi_region_samples_step(&log->samples, record, stride, log->begun))
        return rc;
    return swi_thinning_record(&log->thinning, record, record_write, log, err);
}

static int mark_take(struct runlog *log, const struct sw_record *record, struct sw_error *err)
{
    swi_region_samples_mark(&log->samples, sw_record_region(record, 0));
    if (log->samples.has != SWI_ALL_REGIONS)
        return swi_thinning_record(&log->thinning, record, record_write, log, err);
    begun_note(log, record);
    return 0;
}

static int regions_take(struct runlog *log, const struct sw_record *record, struct sw_error *err)
{
    if (log->samples.has == SWI_ALL_REGIONS)
        return swi_thinning_record(&log->thinning, record, record_write, log, err);
    bool waited = swi_region_samples_wait(&log->samples);
    log->lines.size = 0;
    swi_region_samples_lines(&log->samples, record, &log->lines, &log->counters);
    if (log->lines.failed) {
        log->lines.failed = false;
        return sw_error_set(err, SW_ENOMEM, "not enough memory for the lines of a record");
    }
    if (waited || !log->thinning.stopped)
        lines_store(log, true);
    stored_count(log);
    return 0;
}

static int runlog_record(void *state, const struct sw_record *record, struct sw_error *err)
{
    struct runlog *log = state;
    if (log->samples.on && record->type == SW_RECORD_STEP)
        return step_take(log, record, err);
    if (log->samples.on && record->type == SW_RECORD_MARK && record->regions.count)
        return mark_take(log, record, err);
    if (log->samples.on && record->type == SW_RECORD_REGIONS)
        return regions_take(log, record, err);
    if (!log->summarizes)
        return swi_thinning_record(&log->thinning, record, record_write, log, err);
    char name[PATH_MAX];
    enum swi_summary_need need =
        swi_summary_take(&log->summary, record, log->detail, log->has_histograms);
    name_make(log, log->sink->run, name, sizeof name);
    return swi_summary_write(&log->summary, need, log->sink, name, err);
}

static int runlog_flush(void *state, struct sw_error *err)
{
    struct runlog *log = state;
    (void)err;
    swi_log_output_flush(&log->file);
    log->flushed = true;
    return 0;
}

static int runlog_close(void *state, struct sw_error *err)
{
    struct runlog *log = state;
    int rc = swi_thinning_end(&log->thinning, record_write, log, err);
    if (log->samples.waiting.size)
        swi_log_output_add(&log->file, log->samples.waiting.data, log->samples.waiting.size);
    swi_text_free(&log->samples.waiting);
    swi_log_output_close(&log->file);
    swi_text_free(&log->lines);
    swi_log_counters_free(&log->counters);
    swi_summary_free(&log->summary);
    swi_value_files_fini(&log->files);
    return rc;
}

const struct sw_sink_plugin SW_SINK_SYMBOL = {
    SW_SINK_HEADER,
    .name = "runlog",
    .version = "1.0",
    .license = "MIT",
    .summary = "the run as JSON lines, to replay and to compare",
    .wants = SW_WANT(SW_RECORD_RUN) | SW_WANT(SW_RECORD_MONITOR) | SW_WANT(SW_RECORD_HPARAM) |
             SW_WANT(SW_RECORD_METRICS) | SW_WANT(SW_RECORD_MARK) | SW_WANT(SW_RECORD_STEP) |
             SW_WANT(SW_RECORD_REGIONS) | SW_WANT(SW_RECORD_EPOCH) | SW_WANT(SW_RECORD_REPORT) |
             SW_WANT(SW_RECORD_END) | SW_WANT(SW_RECORD_FINDINGS) | SW_WANT(SW_RECORD_PAUSE) |
             SW_WANT(SW_RECORD_LOST) | SW_WANT(SW_RECORD_RANKS) | SW_WANT(SW_RECORD_CLOCK) |
             SW_WANT(SW_RECORD_WINDOW) | SW_WANT(SW_RECORD_NOTE) | SW_WANT(SW_RECORD_SPAN) |
             SW_WANT(SW_RECORD_ALERT) | VALUES,
    .queue = SW_QUEUE_DROP_NEWEST,
    .queue_records = 16384,
    .options = options,
    .state_size = sizeof(struct runlog),
    .open = runlog_open,
    .record = runlog_record,
    .flush = runlog_flush,
    .close = runlog_close,
    .check = runlog_check,
    .select = runlog_select,
};
