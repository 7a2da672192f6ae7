/* SPDX-License-Identifier: MIT */
/* file_rotation.c - removes the oldest rows of a run's file, with when_full: rotate. The file
 * becomes: what is kept of older records, which is all but rows, samples and summaries; a summary
 * of all of them; and the newest records. All have the numbers that they had, so an upload knows
 * which of them it has.
 *
 * It is made in a file of another name, bit by bit, so that records need not wait. */
#include "sinks/wandb/wandb_sink.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

/* Bytes of the old file that are read with each record. */
enum { SOME = 256 << 10 };

static void part_path(const struct wandb *w, char path[PATH_MAX + 32])
{
    snprintf(path, PATH_MAX + 32, "%s/.part-run", w->folder);
}

/* The program may have closed the descriptor, and its number may be another file's. */
static bool has_file(const struct swi_file_rotation *rotation)
{
    struct stat st;
    return swi_identity_holds(&rotation->identity, rotation->reader->fd, &st);
}

static void copy_leave(struct swi_file_rotation *rotation)
{
    if (rotation->reader && !has_file(rotation))
        rotation->reader->fd = -1;
    if (rotation->reader)
        swi_wandb_reader_close(rotation->reader);
    free(rotation->reader);
    rotation->reader = NULL;
}

void swi_wandb_rotation_end(struct wandb *w)
{
    char path[PATH_MAX + 32];
    SW_ERROR_SCOPE(ignored);
    if (!w->rotation.reader)
        return;
    copy_leave(&w->rotation);
    part_path(w, path);
    unlink(path);
    swi_wandb_log_close(&w->rotation.next, &ignored);
}

static int copy_begin(struct wandb *w, struct sw_error *err)
{
    struct swi_file_rotation *r = &w->rotation;
    char path[PATH_MAX + 32];
    part_path(w, path);
    unlink(path);
    r->reader = calloc(1, sizeof *r->reader);
    r->cut = (int64_t)w->records.log.offset - r->most / 2;
    r->number = r->head = 0;
    int rc = r->reader ? swi_wandb_reader_open(r->reader, w->records.log.path, err)
                       : sw_error_set(err, SW_ENOMEM, "not enough memory to read the run's file");
    if (rc == 0 && (rc = swi_wandb_log_open(&r->next, path, err)) < 0)
        swi_wandb_reader_close(r->reader);
    if (rc == 0)
        r->identity = swi_identity_of(r->reader->fd);
    else
        free(r->reader);
    r->reader = rc == 0 ? r->reader : NULL;
    return rc;
}

/* ---- records --------------------------------------------------------------------------------- */

static bool is_kept(unsigned kind)
{
    return kind != SWI_RECORD_HISTORY && kind != SWI_RECORD_STATS && kind != SWI_RECORD_SUMMARY;
}

static int add(struct swi_wandb_log *next, const void *record, size_t size, struct sw_error *err)
{
    int rc = next->size < SWI_LOG_ENOUGH ? 0 : swi_wandb_log_flush(next, err);
    if (rc == 0 && !swi_wandb_log_repeat(next, record, size))
        rc = sw_error_set(err, SW_ENOMEM, "not enough memory for a record");
    return rc;
}

/* Adds a summary of all rows that are not in the file any more. */
static int summary_add(struct wandb *w, struct sw_error *err)
{
    struct swi_file_rotation *r = &w->rotation;
    SWI_FREED struct swi_text packed = {0};
    swi_row_message_add(&packed, &(struct swi_row_message){
                                     .row = &w->summary, .is_summary = true, .number = r->number});
    int rc = packed.failed      ? sw_error_set(err, SW_ENOMEM, "not enough memory for the summary")
             : w->summary.count ? add(&r->next, packed.data, packed.size, err)
                                : 0;
    r->head = (int64_t)r->next.offset;
    return rc;
}

/* Copies the next record. Returns 1, 0 at the end, or a negative code. */
static int copy_one(struct wandb *w, struct sw_error *err)
{
    struct swi_file_rotation *r = &w->rotation;
    const unsigned char *record;
    size_t size;
    int rc = 0;
    bool older = (int64_t)r->reader->offset < r->cut;
    int more = swi_wandb_reader_bytes(r->reader, &record, &size, err);
    if (more <= 0)
        return more;
    if (!older && !r->head)
        rc = summary_add(w, err);
    unsigned kind =
        rc == 0 && older ? swi_record_kind(record, size, &r->number) : SWI_RECORD_UNKNOWN;
    if (rc == 0 && is_kept(kind))
        rc = add(&r->next, record, size, err);
    return rc < 0 ? rc : 1;
}

/* Returns 1 if there is more, 0 at the end, or a negative code. */
static int copy_some(struct wandb *w, struct sw_error *err)
{
    const struct swi_file_rotation *r = &w->rotation;
    uint64_t until = r->reader->offset + SOME;
    int rc = has_file(r) ? 1 : sw_error_set(err, SW_EIO, "the program has closed the run's file");
    while (rc == 1 && r->reader->offset < until)
        rc = copy_one(w, err);
    return rc;
}

/* The next file takes the place of the run's. Nothing waits for the old one. */
static int copy_end(struct wandb *w, struct sw_error *err)
{
    struct swi_file_rotation *r = &w->rotation;
    int rc = swi_wandb_log_flush(&r->next, err);
    if (rc == 0)
        rc = swi_wandb_log_replace(&w->records.log, &r->next, err);
    if (rc < 0)
        return rc;
    copy_leave(r);
    r->due = r->head + r->most;
    return 0;
}

bool swi_wandb_rotate(struct wandb *w)
{
    struct swi_file_rotation *r = &w->rotation;
    const struct swi_wandb_log *log = &w->records.log;
    SW_ERROR_SCOPE(err);
    if (!r->most || w->failing)
        return false;
    bool begins = !r->reader && log->size == 0 && (int64_t)log->offset >= r->due;
    int rc = begins ? copy_begin(w, &err) : 0;
    if (rc == 0 && r->reader)
        rc = copy_some(w, &err);
    bool ends = rc == 0 && r->reader && r->head && log->size == 0;
    if (ends)
        rc = copy_end(w, &err);
    if (rc >= 0)
        return ends;
    swi_wandb_rotation_end(w);
    r->due = (int64_t)log->offset + r->most / 2;
    swi_wandb_say(w, 1, "%s: the oldest rows cannot be removed: %s; the file grows meanwhile",
                  w->folder, sw_error_text(&err));
    return false;
}
