/* SPDX-License-Identifier: MIT */
#include "sinks/runlog/run_summary.h"

#include "sinks/common/runlog/lines.h"
#include "sinks/common/runlog/log_bytes.h"
#include "sinks/runlog/log_output.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- what is in it --------------------------------------------------------------------------- */

/* The newer report of a fit replaces the one before. */
static enum swi_summary_need report_take(struct swi_summary *summary,
                                         const struct sw_record *record, bool histograms)
{
    struct swi_text *reports = &summary->reports;
    if (record->report->fit == summary->newest_fit)
        reports->size = summary->newest;
    summary->newest_fit = record->report->fit;
    summary->first_fit = reports->size ? summary->first_fit : summary->newest_fit;
    summary->newest = reports->size;
    swi_lines_record(reports, record, histograms, -1, NULL, NULL);
    summary->added += reports->size - summary->newest;
    bool enough = reports->failed || summary->added > summary->written / 4;
    return enough ? SWI_SUMMARY_WHOLE : SWI_SUMMARY_LINE;
}

enum swi_summary_need swi_summary_take(struct swi_summary *summary, const struct sw_record *record,
                                       const char *detail, bool histograms)
{
    if (record->run)
        swi_lines_run(&summary->head, record->run, detail, false, &summary->counters);
    else if (record->hparam)
        swi_lines_record(&summary->config, record, histograms, -1, NULL, NULL);
    else if (record->step_done)
        swi_blocks_add(&summary->blocks, record->step, record->step_done);
    else if (record->report)
        return report_take(summary, record, histograms);
    else if (record->end)
        swi_lines_record(&summary->finish, record, histograms, -1, NULL, NULL);
    return record->run || record->end ? SWI_SUMMARY_WHOLE : SWI_SUMMARY_NOTHING;
}

static void text_append(struct swi_text *text, const struct swi_text *part)
{
    if (part->size)
        swi_text_add(text, part->data, part->size);
    text->failed = text->failed || part->failed;
}

/* Returns what is before the reports as text, which the summary owns; NULL if out of memory. The
 * blocks come second, so that a program that merges summaries finds them early. */
static struct swi_text *summary_begin(struct swi_summary *summary)
{
    struct swi_text *whole = &summary->whole;
    whole->size = 0;
    whole->failed = false;
    text_append(whole, &summary->head);
    swi_blocks_line(&summary->blocks, whole);
    text_append(whole, &summary->config);
    return whole->failed ? NULL : whole;
}

void swi_summary_free(struct swi_summary *summary)
{
    swi_blocks_free(&summary->blocks);
    swi_log_counters_free(&summary->counters);
    swi_text_free(&summary->head);
    swi_text_free(&summary->config);
    swi_text_free(&summary->reports);
    swi_text_free(&summary->finish);
    swi_text_free(&summary->whole);
}

/* ---- its file -------------------------------------------------------------------------------- */

/* More bytes of reports are kept in the file only. */
enum { REPORTS_MOST = 1 << 20 };

static int file_open(struct sw_sink *sink, const char *path, int flags)
{
    char absolute[PATH_MAX];
    SW_ERROR_SCOPE(ignored);
    if (sw_sink_resolve(sink, path, absolute, sizeof absolute, &ignored) < 0)
        return -1;
    return open(absolute, flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
}

/* Returns text as the file has it. frame: where it is if the file is compressed; to be freed. */
static const struct swi_text *framed(const struct swi_summary *summary, const struct swi_text *text,
                                     struct swi_text *frame)
{
    *frame = (struct swi_text){0};
    if (!summary->codec)
        return text;
    struct swi_log_frame *alone = swi_log_frame_new(summary->codec);
    frame->failed = !alone || !swi_log_frame_add(alone, text->data, text->size, true, frame);
    swi_log_frame_free(alone);
    return frame;
}

/* ---- adding to the file ---- */

/* Adds lines to the summary that was written last. Returns false, and leaves the file as it is, if
 * it cannot: the whole is written then. */
static bool lines_add(struct sw_sink *sink, const char *path, const struct swi_text *lines)
{
    struct stat before;
    int fd = lines->failed ? -1 : file_open(sink, path, O_WRONLY | O_APPEND);
    if (fd < 0)
        return false;
    bool ours = fstat(fd, &before) == 0 && S_ISREG(before.st_mode);
    ssize_t size = ours ? write(fd, lines->data, lines->size) : 0;
    bool whole = size == (ssize_t)lines->size;
    if (size > 0 && !whole && ftruncate(fd, before.st_size) != 0)
        whole = false;
    return close(fd) == 0 && whole;
}

/* ---- the whole, with reports that are only in the file ---- */

static int no_memory(struct sw_error *err)
{
    return sw_error_set(err, SW_ENOMEM, "not enough memory for the summary");
}

static int put(const struct swi_summary *summary, struct sw_sink *sink, FILE *part,
               const struct swi_text *text, struct sw_error *err)
{
    struct swi_text frame;
    if (!text->size)
        return 0;
    const struct swi_text *bytes = framed(summary, text, &frame);
    int rc =
        bytes->failed ? no_memory(err) : sw_sink_write(sink, part, bytes->data, bytes->size, err);
    swi_text_free(&frame);
    return rc;
}

/* Returns the fit of the line of a report; 0: it is another line. */
static int fit_of(const char *line)
{
    const char *fit =
        strncmp(line, "{\"type\":\"report\"", 16) == 0 ? strstr(line, "\"fit\":") : NULL;
    return fit ? atoi(fit + 6) : 0;
}

/* Copies the last report of each fit, with the lines before it, but not that of a fit whose newer
 * one is in memory. */
static int stored_copy(const struct swi_summary *summary, FILE *stored, struct sw_sink *sink,
                       FILE *part, struct sw_error *err)
{
    SWI_FREED struct swi_text report = {0}, last = {0};
    char *line = NULL;
    size_t room = 0;
    int last_fit = 0, rc = 0;
    for (ssize_t size; rc == 0 && (size = getline(&line, &room, stored)) > 0;) {
        swi_text_add(&report, line, (size_t)size);
        int fit = fit_of(line);
        if (!fit)
            continue;
        if (last_fit && last_fit != fit)
            rc = put(summary, sink, part, &last, err);
        struct swi_text before = last;
        last = report;
        last_fit = fit;
        report = before;
        report.size = 0;
    }
    if (rc == 0 && last_fit && !(summary->reports.size && last_fit == summary->first_fit))
        rc = put(summary, sink, part, &last, err);
    if (rc == 0 && (report.failed || last.failed || ferror(stored)))
        rc = sw_error_set(err, SW_EIO, "the reports of earlier fits cannot be read");
    free(line);
    return rc;
}

static int whole_put(struct swi_summary *summary, FILE *stored, struct sw_sink *sink, FILE *part,
                     struct sw_error *err)
{
    const struct swi_text *begin = summary_begin(summary);
    int rc = begin ? put(summary, sink, part, begin, err) : no_memory(err);
    if (rc == 0)
        rc = stored_copy(summary, stored, sink, part, err);
    if (rc == 0)
        rc = put(summary, sink, part, &summary->reports, err);
    return rc == 0 ? put(summary, sink, part, &summary->finish, err) : rc;
}

static bool text_skip(FILE *file, size_t bytes)
{
    char dropped[4096];
    size_t n = 1;
    for (; bytes > 0 && n > 0; bytes -= n)
        n = fread(dropped, 1, bytes < sizeof dropped ? bytes : sizeof dropped, file);
    return bytes == 0;
}

static ssize_t stored_read(void *cookie, char *to, size_t size)
{
    return swi_log_bytes_read(cookie, to, size);
}

static int stored_close(void *cookie)
{
    struct swi_log_bytes *bytes = cookie;
    int rc = close(bytes->fd);
    swi_log_bytes_fini(bytes);
    free(bytes);
    return rc;
}

/* Opens the text of the file where the reports begin that are not in memory. */
static FILE *stored_open(const struct swi_summary *summary, struct sw_sink *sink, const char *path)
{
    const cookie_io_functions_t functions = {.read = stored_read, .close = stored_close};
    struct swi_log_bytes *bytes = malloc(sizeof *bytes);
    int fd = bytes ? file_open(sink, path, O_RDONLY) : -1;
    if (bytes)
        swi_log_bytes_init(bytes, fd);
    FILE *stored = fd >= 0 ? fopencookie(bytes, "r", functions) : NULL;
    if (!stored && fd >= 0)
        close(fd);
    if (!stored)
        free(bytes);
    if (!stored || text_skip(stored, summary->stored_at))
        return stored;
    fclose(stored);
    return NULL;
}

/* Makes a new file beside the old one and renames it. */
static int whole_renew(struct swi_summary *summary, struct sw_sink *sink, const char *path,
                       size_t *begin, struct sw_error *err)
{
    char name[PATH_MAX];
    FILE *part;
    SW_ERROR_SCOPE(ignored);
    FILE *stored = stored_open(summary, sink, path);
    if (!stored)
        return sw_error_set(err, SW_EIO, "the reports of earlier fits cannot be read");
    snprintf(name, sizeof name, "%.*s.part", PATH_MAX - 8, path);
    int rc = sw_sink_create(sink, name, &part, err);
    if (rc == 0) {
        rc = whole_put(summary, stored, sink, part, err);
        if (rc == 0)
            rc = sw_sink_finish(sink, part, path, err);
        else
            sw_sink_finish(sink, part, "", &ignored);
    }
    fclose(stored);
    *begin = summary->whole.size;
    summary->written += summary->added;
    return rc;
}

static int whole_replace(struct swi_summary *summary, struct sw_sink *sink, const char *path,
                         size_t *begin, struct sw_error *err)
{
    struct swi_text *text = summary_begin(summary);
    *begin = text ? text->size : 0;
    if (text) {
        text_append(text, &summary->reports);
        text_append(text, &summary->finish);
    }
    if (!text || text->failed)
        return no_memory(err);
    struct swi_text frame;
    const struct swi_text *bytes = framed(summary, text, &frame);
    summary->written = text->size;
    int rc =
        bytes->failed ? no_memory(err) : sw_sink_replace(sink, path, bytes->data, bytes->size, err);
    swi_text_free(&frame);
    return rc;
}

int swi_summary_write(struct swi_summary *summary, enum swi_summary_need need, struct sw_sink *sink,
                      const char *path, struct sw_error *err)
{
    struct swi_text *reports = &summary->reports;
    size_t from = summary->stored_at ? 0 : summary->newest, begin = summary->stored_at;
    int rc = 0;
    if (need == SWI_SUMMARY_NOTHING)
        return 0;
    bool added = false;
    if (need == SWI_SUMMARY_LINE) {
        struct swi_text frame, lines = {.data = reports->data + from, .size = reports->size - from};
        added = lines_add(sink, path, framed(summary, &lines, &frame));
        swi_text_free(&frame);
    }
    if (!added) {
        rc = summary->stored_at ? whole_renew(summary, sink, path, &begin, err)
                                : whole_replace(summary, sink, path, &begin, err);
        summary->added = 0;
    }
    bool many = !added && reports->size > REPORTS_MOST && strcmp(path, "-") != 0;
    if (rc == 0 && (summary->stored_at || many)) {
        summary->stored_at = begin;
        reports->size = summary->newest = 0;
    }
    return rc;
}
