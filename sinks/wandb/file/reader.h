/* SPDX-License-Identifier: MIT */
/* reader.h - reads the records of a .wandb file one by one, even while it is being written.
 *
 * Whatever is in the file, reading ends, and the memory is bounded. Parts that are damaged, too
 * long, or not a record are left out, reported and counted. */
#ifndef SINKS_WANDB_FILE_READER_H
#define SINKS_WANDB_FILE_READER_H

#include "core/text/buffer.h"
#include "sinks/wandb/file/record_messages.h"

#include <stepwatch/error.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The longest record that is read, and the memory for its decoded form. The service accepts rows of
 * 10 MiB, and a message may decode to many times its size. */
#define SWI_READER_RECORD (16u << 20)
#define SWI_READER_DECODED (64u << 20)

enum { SWI_READER_BLOCK = 32768 };

/* Stored by the caller. Each reader is for one thread at a time; several readers may read the same
 * file. */
struct swi_wandb_reader {
    int64_t records; /* returned so far */
    int64_t skipped; /* parts that were left out */
    uint64_t skipped_bytes;
    uint64_t offset; /* everything before it was returned or left out: a torn tail begins here */
    uint64_t size;   /* of the file at the last look, without what its writer may change */

    /* private */
    int fd;
    uint64_t at;          /* place of the next chunk of the current record */
    uint64_t block_at;    /* place of the block in the file */
    size_t block_size;    /* how many of its bytes are read */
    bool headed;          /* the file's header was read */
    bool inside;          /* a first chunk was read, but not its last one */
    unsigned char *bytes; /* of that record */
    size_t count;
    size_t capacity;
    struct swi_record_message *record;
    unsigned char block[SWI_READER_BLOCK];
};

/* Opens a file for reading. Returns SW_EINVAL if it does not begin like a .wandb file. A file that
 * is shorter than its header has no record yet. */
int swi_wandb_reader_open(struct swi_wandb_reader *reader, const char *path, struct sw_error *err);

/* Gets the next record. Returns 1 if there is one, which is borrowed until the next call. Returns 0
 * if there is none yet: what follows reader->offset is not a whole record, but torn or being
 * written; the next call continues there. Returns SW_EFORMAT if something was left out: err says
 * where and what, and the next call continues after it. After any other code, nothing has changed.
 * A record of an unknown kind has what WHAT__NOT_SET. */
int swi_wandb_reader_next(struct swi_wandb_reader *reader, const struct swi_record_message **record,
                          struct sw_error *err);

/* The same, as the bytes that the file has. */
int swi_wandb_reader_bytes(struct swi_wandb_reader *reader, const unsigned char **record,
                           size_t *size, struct sw_error *err);

void swi_wandb_reader_close(struct swi_wandb_reader *reader);

/* Returns the name of an item, or its first part. */
static inline const char *swi_wandb_item_name(const struct swi_item_message *item)
{
    return item->n_nested_key ? item->nested_key[0] : item->key;
}

/* Adds the value of an item of any type as JSON text. NaN and infinities are written bare. */
void swi_wandb_item_json(struct swi_text *json, const struct swi_item_message *item);

#endif
