/* SPDX-License-Identifier: MIT */
/* leveldb_log.h - a run's .wandb file: records, framed like LevelDB's log, appended and never
 * changed. Only the end, a draft of what comes next, is replaced. */
#ifndef SINKS_WANDB_FILE_LEVELDB_LOG_H
#define SINKS_WANDB_FILE_LEVELDB_LOG_H

#include "core/files/identity.h"

#include <stepwatch/error.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The most memory for records that wait for the disk: a full disk may cost records, but not memory.
 */
#define SWI_LOG_HELD (4u << 20)

/* A single row may be longer: the service accepts some 10 MB. */
#define SWI_LOG_HELD_LONG (16u << 20)

/* Enough for a write of its own: flush the log when it has this much. */
#define SWI_LOG_ENOUGH (64u << 10)

struct swi_wandb_log {
    int fd;
    struct swi_identity identity;
    char *path;            /* to open it again if the program has closed the descriptor */
    uint64_t offset;       /* of the next byte to frame, from the begin of the file */
    unsigned char *buffer; /* framed records that are not written yet */
    int64_t records;       /* their number; after a close that failed, how many are lost */
    size_t size;
    size_t draft; /* the last bytes of it: records that the next one replaces */
    uint64_t end; /* of the file, including the draft */
    size_t capacity;
};

/* Creates the file. Fails if it exists. path: absolute. */
int swi_wandb_log_open(struct swi_wandb_log *log, const char *path, struct sw_error *err);

/* Returns how much of an open file its writer will not change any more. Returns UINT64_MAX, meaning
 * all of it, if no program writes it: a writer holds a lock on the rest, which ends with the
 * writer. */
uint64_t swi_wandb_log_settled(int fd);

/* Returns whether a program still writes the file. */
bool swi_wandb_log_is_live(const char *path);

/* Adds one record. Returns false if there is no room for it: then no part of it is in the file. */
bool swi_wandb_log_add(struct swi_wandb_log *log, const void *record, size_t size);

/* Adds a record that repeats what others have. Nothing is lost without it, and it is not counted in
 * log->records. */
bool swi_wandb_log_repeat(struct swi_wandb_log *log, const void *record, size_t size);

/* Adds a record for one flush, after all others. Whatever is added later replaces it, so that it is
 * the last record of a program that is killed, and of no other. It is left out if there is no room.
 */
void swi_wandb_log_draft(struct swi_wandb_log *log, const void *record, size_t size);

/* Adds another record to the draft. */
void swi_wandb_log_draft_more(struct swi_wandb_log *log, const void *record, size_t size);

/* Writes all framed records, or none. On failure, keeps all but a draft for the next time. */
int swi_wandb_log_flush(struct swi_wandb_log *log, struct sw_error *err);

/* Calls take for each record that waits for the disk, in order, until it returns false. */
void swi_wandb_log_each(const struct swi_wandb_log *log,
                        bool (*take)(void *arg, const unsigned char *record, size_t size),
                        void *arg);

/* Gives the file of `next`, which is flushed, the name of the log's, and continues in it. Nothing
 * waits for the log's own file. On failure, nothing has changed. */
int swi_wandb_log_replace(struct swi_wandb_log *log, struct swi_wandb_log *next,
                          struct sw_error *err);

/* Flushes and closes. Returns the result of the flush. */
int swi_wandb_log_close(struct swi_wandb_log *log, struct sw_error *err);

#endif
