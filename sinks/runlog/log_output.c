/* SPDX-License-Identifier: MIT */
#include "sinks/runlog/log_output.h"

#include "core/text/characters.h"
#include "sinks/common/runlog/line_fields.h"

#include <stepwatch/stepwatch.h>

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* FRAME: text of a frame, before it is ended. WAIT: so many lines are compressed together.
 * HELD_MOST: what waits while the disk is full. PIECE: what is tried at the end of the run. */
enum { FRAME = 256 << 10, WAIT = 64 << 10, HELD_MOST = 1 << 20, PIECE = 4096 };

struct swi_compressed {
    struct swi_log_frame *frame; /* the open one */
    size_t inside;               /* text in it */
    struct swi_text lines;       /* to be written */
    struct swi_text head;
    size_t since;        /* bytes added since the last try to write */
    int64_t lost;        /* lines */
    char path[PATH_MAX]; /* of a regular file; else "" */
    dev_t device;
    ino_t inode;
    int64_t written; /* bytes */
};

/* ---- another program truncates the file ---- */

static bool is_truncated(const struct swi_compressed *packed)
{
    struct stat st;
    return *packed->path && stat(packed->path, &st) == 0 && st.st_ino == packed->inode &&
           st.st_dev == packed->device && st.st_size < packed->written;
}

/* A frame cannot go on without its begin. */
static void file_begin_again(struct swi_compressed *packed)
{
    struct swi_text lines = {0};
    swi_text_add(&lines, packed->head.data, packed->head.size);
    swi_text_add(&lines, packed->lines.data, packed->lines.size);
    swi_text_free(&packed->lines);
    packed->lines = lines;
    packed->written = 0;
    packed->inside = 0;
    swi_log_frame_begin(packed->frame);
}

/* ---- lines ---- */

/* Writes text as a part of the open frame, all or nothing: so a full disk spoils no frame. */
static bool text_write(struct swi_log_output *file, const char *text, size_t size, bool ends)
{
    SW_ERROR_SCOPE(ignored); /* the stream of core keeps it */
    SWI_FREED struct swi_text out = {0};
    struct swi_compressed *packed = file->packed;
    bool fine = swi_log_frame_add(packed->frame, text, size, ends, &out) && !is_truncated(packed) &&
                sw_sink_write(file->sink, file->file, out.data, out.size, &ignored) == 0;
    if (fine) {
        swi_log_frame_keep(packed->frame);
        packed->written += (int64_t)out.size;
        packed->inside = ends ? 0 : packed->inside + size;
    } else if (!swi_log_frame_undo(packed->frame)) {
        packed->inside = 0;
    }
    return fine;
}

static int64_t lines_in(const char *text, size_t size)
{
    int64_t lines = 0;
    for (size_t i = 0; i < size; i++)
        lines += text[i] == '\n';
    return lines;
}

/* Returns the size of the lines that begin with text: at most `most`, or one longer line. */
static size_t piece_of(const char *text, size_t size, size_t most)
{
    const char *newline = size > most ? memrchr(text, '\n', most) : NULL;
    if (size > most && !newline)
        newline = memchr(text, '\n', size);
    return newline ? (size_t)(newline + 1 - text) : size;
}

/* Writes lines until one of the pieces cannot be written. */
static void packed_write(struct swi_log_output *file, size_t most)
{
    struct swi_compressed *packed = file->packed;
    struct swi_text *lines = &packed->lines;
    bool fails = false;
    packed->since = 0;
    while (lines->size && !fails) {
        if (is_truncated(packed))
            file_begin_again(packed);
        size_t size = piece_of(lines->data, lines->size, most);
        bool written = text_write(file, lines->data, size, packed->inside + size >= FRAME);
        fails = !written && !is_truncated(packed);
        lines->size -= written ? size : 0;
        memmove(lines->data, lines->data + (written ? size : 0), lines->size);
    }
}

static void packed_flush(struct swi_log_output *file)
{
    packed_write(file, 2 * WAIT);
}

static void packed_add(struct swi_log_output *file, const char *lines, size_t size)
{
    struct swi_compressed *packed = file->packed;
    if (packed->since >= WAIT)
        packed_flush(file);
    bool room = !packed->lines.size || packed->lines.size + size <= HELD_MOST;
    if (room)
        swi_text_add(&packed->lines, lines, size);
    if (!room || packed->lines.failed)
        packed->lost += lines_in(lines, size);
    packed->lines.failed = false;
    packed->since += size;
}

/* ---- begin and end ---- */

static void packed_free(struct swi_compressed *packed)
{
    swi_log_frame_free(packed->frame);
    swi_text_free(&packed->lines);
    swi_text_free(&packed->head);
    free(packed);
}

static void packed_close(struct swi_log_output *file)
{
    struct swi_compressed *packed = file->packed;
    packed_flush(file);
    packed_write(file, PIECE); /* what a full disk has room for */
    int64_t lost = packed->lost + lines_in(packed->lines.data, packed->lines.size);
    if (packed->inside)
        text_write(file, "", 0, true);
    if (lost)
        sw_sink_lost(file->sink, lost);
    packed_free(packed);
}

static int packed_open(struct swi_log_output *file, const char *path,
                       const struct swi_frame_codec *codec, struct sw_error *err)
{
    SW_ERROR_SCOPE(ignored);
    struct stat st;
    struct swi_compressed *packed = calloc(1, sizeof *packed);
    if (!packed || !(packed->frame = swi_log_frame_new(codec))) {
        free(packed);
        return sw_error_set(err, SW_ENOMEM, "not enough memory to compress %s", path);
    }
    if (strcmp(path, "-") == 0 ||
        sw_sink_resolve(file->sink, path, packed->path, sizeof packed->path, &ignored) < 0 ||
        stat(packed->path, &st) < 0 || !S_ISREG(st.st_mode)) {
        *packed->path = '\0';
    } else {
        packed->device = st.st_dev;
        packed->inode = st.st_ino;
    }
    file->packed = packed;
    return 0;
}

static void packed_head(struct swi_compressed *packed, const char *lines, size_t size)
{
    packed->head.size = 0;
    swi_text_add(&packed->head, lines, size);
    packed->head.failed = false;
}

/* ---- either ---------------------------------------------------------------------------------- */

int swi_log_output_open(struct swi_log_output *file, struct sw_sink *sink, const char *path,
                        const struct swi_frame_codec *codec, struct sw_error *err)
{
    file->sink = sink;
    int rc = sw_sink_create(sink, path, &file->file, err);
    return rc == 0 && codec ? packed_open(file, path, codec, err) : rc;
}

void swi_log_output_head(struct swi_log_output *file, const char *lines, size_t size)
{
    if (file->packed)
        packed_head(file->packed, lines, size);
    else
        sw_sink_head(file->sink, file->file, lines, size);
}

void swi_log_output_add(struct swi_log_output *file, const char *lines, size_t size)
{
    if (file->packed)
        packed_add(file, lines, size);
    else
        fwrite(lines, 1, size, file->file);
}

void swi_log_output_flush(struct swi_log_output *file)
{
    if (file->packed)
        packed_flush(file);
    else if (file->file)
        fflush(file->file);
}

void swi_log_output_close(struct swi_log_output *file)
{
    if (file->packed)
        packed_close(file);
    file->packed = NULL;
}

/* ---- the lines "index" ----------------------------------------------------------------------- */

#define EVERY_BYTES (INT64_C(64) << 20)

static void text_cut(char *to, const char *from)
{
    size_t size = swi_utf8_fit(from, SWI_INDEX_TEXT);
    memcpy(to, from, size);
    to[size] = '\0';
}

void swi_log_index_region(struct swi_log_index *index, const struct sw_region *region)
{
    bool begins = region->event == SW_REGION_BEGIN;
    if (region->action_id == SW_EPOCH)
        index->epochs += begins;
    else if (region->action_id == SW_VALID)
        index->validating = begins;
}

void swi_log_index_alert(struct swi_log_index *index, const struct sw_alert *alert)
{
    index->alerted = true;
    text_cut(index->title, alert->title);
    text_cut(index->text, alert->text);
}

void swi_log_index_add(struct swi_log_index *index, struct swi_text *lines,
                       const struct sw_record *record)
{
    index->bytes += (int64_t)lines->size;
    if (index->bytes < EVERY_BYTES)
        return;
    index->bytes = 0;
    swi_line_begin_at(lines, "index", record->time_ns);
    swi_field_integer(lines, "epochs", index->epochs);
    swi_field_integer(lines, "steps_expected", index->expected);
    swi_field_bool(lines, "validating", index->validating);
    if (index->alerted) {
        swi_field_string(lines, "title", index->title);
        swi_field_string(lines, "text", index->text);
    }
    swi_line_end(lines);
}
