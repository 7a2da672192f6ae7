/* SPDX-License-Identifier: MIT */
/* leveldb_log.h - a run's .wandb file: records, framed as LevelDB frames its log, appended and
 * never changed, except the end: a draft of what comes next. */
#ifndef SINKS_WANDB_FILE_LEVELDB_LOG_H
#define SINKS_WANDB_FILE_LEVELDB_LOG_H

#include <stepwatch/error.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What waits for the disk, at most: a full disk costs records, never memory. */
#define SWI_LOG_HELD (4u << 20)

/* As much is worth a write of its own: who adds many records flushes the log then. */
#define SWI_LOG_ENOUGH (64u << 10)

struct swi_wandb_log {
    int fd;
    uint64_t offset;       /* of the next byte to be framed, from the begin of the file */
    unsigned char *buffer; /* what is framed and not yet written: whole records */
    int64_t records;       /* how many; after a close that failed, how many are lost */
    size_t size;
    size_t draft; /* of these bytes, the last ones: records that the next one replaces */
    uint64_t end; /* of the file, with the draft in it */
    size_t capacity;
};

/* Creates the file; one that is there already is refused. path: absolute. */
int swi_wandb_log_open(struct swi_wandb_log *log, const char *path, struct sw_error *err);

/* How much of a file that is open here its writer will not change any more; UINT64_MAX, all of it,
 * where no program writes it: a writer holds a lock on the rest, which ends with it. */
uint64_t swi_wandb_log_settled(int fd);

/* Whether a program still has the file open to write it. */
bool swi_wandb_log_is_live(const char *path);

/* Frames one record. False if there is no room for it: then the file contains nothing of it. */
bool swi_wandb_log_add(struct swi_wandb_log *log, const void *record, size_t size);

/* The same for a record that repeats what others say: nothing is lost with it, and it is not in
 * log->records. */
bool swi_wandb_log_repeat(struct swi_wandb_log *log, const void *record, size_t size);

/* Frames a record for one flush, behind all others: whatever is added later stands in its place, so
 * that a program that is killed has left it and no other has. If there is no room for it, there is
 * none in the file. */
void swi_wandb_log_draft(struct swi_wandb_log *log, const void *record, size_t size);

/* Frames another record behind the draft, which then has both. */
void swi_wandb_log_draft_more(struct swi_wandb_log *log, const void *record, size_t size);

/* Writes what is framed, all or nothing of it; on failure keeps all but a draft for the next time.
 */
int swi_wandb_log_flush(struct swi_wandb_log *log, struct sw_error *err);

/* Calls take for each record that waits for the disk, in their order, until it returns false. */
void swi_wandb_log_each(const struct swi_wandb_log *log,
                        bool (*take)(void *arg, const unsigned char *record, size_t size),
                        void *arg);

/* Flushes and closes; returns what the flush did. */
int swi_wandb_log_close(struct swi_wandb_log *log, struct sw_error *err);

#endif
