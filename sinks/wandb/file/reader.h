/* SPDX-License-Identifier: MIT */
/* reader.h - the records of a .wandb file, one by one, also while it is still being written.
 *
 * Whatever is in the file, a reader ends, and its memory is bounded: what is damaged, too long or
 * no record is left out, said and counted. */
#ifndef SINKS_WANDB_FILE_READER_H
#define SINKS_WANDB_FILE_READER_H

#include "core/text/buffer.h"
#include "sinks/wandb/file/wandb.pb-c.h"

#include <stepwatch/error.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The longest record that is taken, and what its decoded form may take: the service takes rows of
 * 10 MiB, and a message may decode to many times its size. */
#define SWI_READER_RECORD (16u << 20)
#define SWI_READER_DECODED (64u << 20)

enum { SWI_READER_BLOCK = 32768 };

/* In the caller's storage. For one thread at a time; any number of readers read one file. */
struct swi_wandb_reader {
    int64_t records; /* returned so far */
    int64_t skipped; /* stretches that were left out */
    uint64_t skipped_bytes;
    uint64_t offset; /* all before it was returned or left out: where a torn tail begins */
    uint64_t size;   /* of the file when it was last looked at, less what its writer may change */

    /* private */
    int fd;
    uint64_t at;          /* of the next chunk of a record that is being put together */
    uint64_t block_at;    /* where the block stands in the file */
    size_t block_size;    /* how many of its bytes are known */
    bool headed;          /* the file's header was read */
    bool inside;          /* a first chunk was taken, its last one not yet */
    unsigned char *bytes; /* of that record */
    size_t count;
    size_t capacity;
    size_t decoded; /* bytes of memory that the decoded record took */
    SwiWandb__Record *record;
    unsigned char block[SWI_READER_BLOCK];
};

/* Opens for reading. SW_EINVAL if it does not begin as a .wandb file; one that is still shorter
 * than its header is a file without a record yet. */
int swi_wandb_reader_open(struct swi_wandb_reader *reader, const char *path, struct sw_error *err);

/* The next record: 1, and it is borrowed until the next call. 0: no more yet; what is behind
 * reader->offset is no whole record: a torn tail, or being written. Asked again, it goes on there.
 * SW_EFORMAT: something was left out, err says where and what; asked again, it goes on behind it.
 * Any other code: nothing moved. A record of an unknown kind has what_case WHAT__NOT_SET. */
int swi_wandb_reader_next(struct swi_wandb_reader *reader, const SwiWandb__Record **record,
                          struct sw_error *err);

void swi_wandb_reader_close(struct swi_wandb_reader *reader);

/* The name of an item, or the first part of it. */
static inline const char *swi_wandb_item_name(const SwiWandb__Item *item)
{
    return item->n_nested_key ? item->nested_key[0] : item->key;
}

/* Adds the value of an item as JSON text, whatever its type; NaN and infinities are written
 * bare. */
void swi_wandb_item_json(struct swi_text *json, const SwiWandb__Item *item);

#endif
