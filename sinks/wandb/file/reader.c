/* SPDX-License-Identifier: MIT */
#include "sinks/wandb/file/reader.h"
#include "core/text/digest.h"
#include "core/text/escape.h"
#include "sinks/wandb/file/leveldb_log.h"
#include "sinks/wandb/values/fields.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

enum { BLOCK = SWI_READER_BLOCK, HEAD = 7 };
enum { FULL = 1, FIRST, MIDDLE, LAST };

/* The result of looking for a chunk. */
enum found { CHUNK, CUT_OFF, DAMAGED, REFUSED };

struct chunk {
    int type;
    size_t size;
    const unsigned char *bytes;
};

/* ---- bytes of the file ----------------------------------------------------------------------- */

/* Returns how many bytes of the block are in the file but not read yet. */
static size_t missing(const struct swi_wandb_reader *reader)
{
    size_t room = BLOCK - reader->block_size;
    uint64_t at = reader->block_at + reader->block_size;
    uint64_t left = reader->size > at ? reader->size - at : 0;
    return left < room ? (size_t)left : room;
}

static bool block_read(struct swi_wandb_reader *reader, struct sw_error *err)
{
    for (size_t wanted; (wanted = missing(reader)) > 0;) {
        ssize_t n = pread(reader->fd, reader->block + reader->block_size, wanted,
                          (off_t)(reader->block_at + reader->block_size));
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            sw_error_set(err, SW_EIO, "the run's file cannot be read: %s", strerror(errno));
        if (n <= 0)
            return n == 0;
        reader->block_size += (size_t)n;
    }
    return true;
}

/* Returns how many bytes from `at` to the end of its block are read. */
static size_t known(const struct swi_wandb_reader *reader, uint64_t at)
{
    size_t within = (size_t)(at - reader->block_at);
    return reader->block_size > within ? reader->block_size - within : 0;
}

/* Reads the block of `at`, as far as the file goes. */
static bool block_of(struct swi_wandb_reader *reader, uint64_t at, struct sw_error *err)
{
    uint64_t block_at = at - at % BLOCK;
    if (block_at != reader->block_at) {
        reader->block_at = block_at;
        reader->block_size = 0;
    }
    return reader->block_size == BLOCK || block_read(reader, err);
}

static bool size_read(struct swi_wandb_reader *reader, struct sw_error *err)
{
    uint64_t settled = swi_wandb_log_settled(reader->fd);
    off_t size = lseek(reader->fd, 0, SEEK_END);
    if (size < 0)
        sw_error_set(err, SW_EIO, "cannot get the size of the run's file: %s", strerror(errno));
    else
        reader->size = (uint64_t)size < settled ? (uint64_t)size : settled;
    return size >= 0;
}

/* ---- chunks ---------------------------------------------------------------------------------- */

static uint32_t little(const unsigned char *bytes, int count)
{
    uint32_t n = 0;
    for (int i = count - 1; i >= 0; i--)
        n = n << 8 | bytes[i];
    return n;
}

/* Reads the chunk at `at`, which is in the block, with room for a header. */
static enum found parse(const struct swi_wandb_reader *reader, uint64_t at, struct chunk *chunk)
{
    const unsigned char *head = reader->block + (at - reader->block_at);
    size_t have = known(reader, at);
    if (have < HEAD)
        return CUT_OFF;
    *chunk = (struct chunk){.type = head[6], .size = little(head + 4, 2), .bytes = head + HEAD};
    if (chunk->type < FULL || chunk->type > LAST || chunk->size + HEAD > BLOCK - at % BLOCK)
        return DAMAGED;
    if (have < HEAD + chunk->size)
        return CUT_OFF;
    return swi_crc32(0, head + 6, chunk->size + 1) == little(head, 4) ? CHUNK : DAMAGED;
}

/* Returns the next place after `at` in its block where a whole chunk is, or 0. The total size of
 * checksums is limited, because data could contain many false headers. */
static uint64_t scan(const struct swi_wandb_reader *reader, uint64_t at)
{
    size_t budget = 4u << 20;
    struct chunk chunk;
    for (at++; known(reader, at) >= HEAD; at++) {
        size_t size = little(reader->block + (at - reader->block_at) + 4, 2);
        int type = reader->block[at - reader->block_at + 6];
        if (type < FULL || type > LAST || known(reader, at) < HEAD + size)
            continue;
        if (size >= budget)
            return 0;
        budget -= size;
        if (parse(reader, at, &chunk) == CHUNK)
            return at;
    }
    return 0;
}

/* Skips the padding at the end of a block that is too short for a header. */
static void pad(struct swi_wandb_reader *reader)
{
    size_t left = BLOCK - reader->at % BLOCK;
    if (left < HEAD)
        reader->at += left;
}

static enum found look(struct swi_wandb_reader *reader, struct chunk *chunk, struct sw_error *err)
{
    pad(reader);
    return block_of(reader, reader->at, err) ? parse(reader, reader->at, chunk) : REFUSED;
}

/* ---- what is left out ------------------------------------------------------------------------ */

/* Frees the memory of a long record. */
static void forget(struct swi_wandb_reader *reader)
{
    reader->inside = false;
    reader->count = 0;
    if (reader->capacity > 1u << 20) {
        free(reader->bytes);
        reader->bytes = NULL;
        reader->capacity = 0;
    }
}

/* Leaves out everything since the last whole record, and the rest of a record without its begin. */
static int leave_out(struct swi_wandb_reader *reader, const char *why, struct sw_error *err)
{
    struct chunk chunk;
    SW_ERROR_SCOPE(ignored);
    uint64_t from = reader->offset;
    forget(reader);
    while (look(reader, &chunk, &ignored) == CHUNK && chunk.type > FIRST)
        reader->at += HEAD + chunk.size;
    reader->offset = reader->at;
    reader->skipped++;
    reader->skipped_bytes += reader->at - from;
    return sw_error_set(err, SW_EFORMAT, "%s: %llu bytes from byte %llu on were skipped", why,
                        (unsigned long long)(reader->at - from), (unsigned long long)from);
}

/* Goes back to the begin of an incomplete record, to read it again when there is more. Bytes that
 * were read may change: a writer removes what a full disk cut off. */
static int wait_for_more(struct swi_wandb_reader *reader)
{
    forget(reader);
    reader->at = reader->offset;
    reader->block_size = 0;
    return 0;
}

/* Handles a chunk that cannot be read. If a whole chunk or a block follows, it is damaged.
 * Otherwise it is the end of the file, torn off or not written yet. */
static int unreadable(struct swi_wandb_reader *reader, struct sw_error *err)
{
    uint64_t next = scan(reader, reader->at);
    uint64_t block_end = reader->block_at + BLOCK;
    if (!next && reader->size <= block_end)
        return wait_for_more(reader);
    reader->at = next ? next : block_end;
    return leave_out(reader, "the run's file is damaged", err);
}

/* ---- records --------------------------------------------------------------------------------- */

static void record_free(struct swi_wandb_reader *reader)
{
    swi_message_free(reader->record);
    reader->record = NULL;
}

static int decode(struct swi_wandb_reader *reader, const struct swi_record_message **record,
                  struct sw_error *err)
{
    reader->record = swi_record_message_read(reader->bytes, reader->count, SWI_READER_DECODED);
    if (!reader->record)
        return leave_out(reader, "the run's file contains something that is not a wandb record",
                         err);
    forget(reader);
    reader->offset = reader->at;
    reader->records++;
    if (!reader->record->num)
        reader->record->num = (int64_t)reader->records;
    *record = reader->record;
    return 1;
}

static bool room(struct swi_wandb_reader *reader, size_t size)
{
    if (reader->bytes && size <= reader->capacity)
        return true;
    size_t capacity = size < BLOCK ? BLOCK : size * 2;
    unsigned char *bytes = realloc(reader->bytes, capacity);
    if (!bytes)
        return false;
    reader->bytes = bytes;
    reader->capacity = capacity;
    return true;
}

/* Adds a chunk to the record. Returns 1 if it was the last one, 0 if the record continues. */
static int take(struct swi_wandb_reader *reader, const struct chunk *chunk, struct sw_error *err)
{
    bool begins = chunk->type <= FIRST;
    if (begins == reader->inside)
        return leave_out(reader, "a part of a record is missing in the run's file", err);
    if (!room(reader, reader->count + chunk->size))
        return sw_error_set(err, SW_ENOMEM, "not enough memory for a record of the run's file");
    if (chunk->size)
        memcpy(reader->bytes + reader->count, chunk->bytes, chunk->size);
    reader->count += chunk->size;
    reader->at += HEAD + chunk->size;
    reader->inside = chunk->type == FIRST || chunk->type == MIDDLE;
    if (reader->count > SWI_READER_RECORD)
        return leave_out(reader, "a record of the run's file is longer than 16 MiB", err);
    return !reader->inside;
}

/* Assembles one record. Returns 1, or what swi_wandb_reader_next() returns. */
static int assemble(struct swi_wandb_reader *reader, struct sw_error *err)
{
    struct chunk chunk = {0};
    int done = 0;
    while (done == 0) {
        switch (look(reader, &chunk, err)) {
        case CHUNK:
            done = take(reader, &chunk, err);
            break;
        case REFUSED:
            wait_for_more(reader);
            return SW_EIO;
        default:
            return unreadable(reader, err);
        }
    }
    if (done == SW_ENOMEM)
        wait_for_more(reader);
    return done;
}

/* ---- the file -------------------------------------------------------------------------------- */

/* Returns 1 if the file begins like a .wandb file, 0 if that is not known yet. */
static int head_read(struct swi_wandb_reader *reader, struct sw_error *err)
{
    static const unsigned char head[HEAD] = {0x3a, 0x57, 0x26, 0x42, 0xe1, 0xbe, 0x00};
    if (!block_of(reader, 0, err))
        return SW_EIO;
    size_t have = reader->block_size < HEAD ? reader->block_size : HEAD;
    if (memcmp(reader->block, head, have < HEAD - 1 ? have : HEAD - 1) != 0)
        return sw_error_set(err, SW_EINVAL, "is not a .wandb file: it has no .wandb header");
    if (have < HEAD)
        return wait_for_more(reader);
    if (reader->block[HEAD - 1] != head[HEAD - 1])
        return sw_error_set(err, SW_EINVAL,
                            "is a .wandb file of version %d, but only version 0 is supported",
                            reader->block[HEAD - 1]);
    reader->headed = true;
    reader->at = reader->offset = HEAD;
    return 1;
}

int swi_wandb_reader_open(struct swi_wandb_reader *reader, const char *path, struct sw_error *err)
{
    *reader = (struct swi_wandb_reader){0};
    /* Non-blocking: a pipe of that name would never open. */
    reader->fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (reader->fd < 0)
        return sw_error_set(err, SW_EIO, "%s: cannot be read: %s", path, strerror(errno));
    int rc = size_read(reader, err) ? head_read(reader, err) : SW_EIO;
    if (rc >= 0)
        return 0;
    sw_error_prefix(err, "%s", path);
    swi_wandb_reader_close(reader);
    return rc;
}

static int whole_read(struct swi_wandb_reader *reader, struct sw_error *err)
{
    record_free(reader);
    if (!size_read(reader, err))
        return SW_EIO;
    int rc = reader->headed ? 1 : head_read(reader, err);
    return rc == 1 ? assemble(reader, err) : rc;
}

int swi_wandb_reader_next(struct swi_wandb_reader *reader, const struct swi_record_message **record,
                          struct sw_error *err)
{
    int rc = whole_read(reader, err);
    return rc == 1 ? decode(reader, record, err) : rc;
}

int swi_wandb_reader_bytes(struct swi_wandb_reader *reader, const unsigned char **record,
                           size_t *size, struct sw_error *err)
{
    int rc = whole_read(reader, err);
    *record = reader->bytes;
    *size = reader->count;
    if (rc != 1)
        return rc;
    reader->count = 0;
    reader->offset = reader->at;
    reader->records++;
    return 1;
}

void swi_wandb_reader_close(struct swi_wandb_reader *reader)
{
    record_free(reader);
    free(reader->bytes);
    if (reader->fd >= 0)
        close(reader->fd);
    reader->bytes = NULL;
    reader->fd = -1;
}

/* ---- values ---------------------------------------------------------------------------------- */

void swi_wandb_item_json(struct swi_text *json, const struct swi_item_message *item)
{
    switch (item->what) {
    case SWI_ITEM_BOOLEAN:
        swi_text_put(json, item->boolean ? "true" : "false");
        return;
    case SWI_ITEM_INTEGER:
        swi_text_integer(json, item->integer);
        return;
    case SWI_ITEM_NUMBER:
        swi_json_number(json, item->number);
        return;
    case SWI_ITEM_TEXT:
        swi_escape_json(json, item->text);
        return;
    case SWI_ITEM_JSON:
        swi_text_put(json, *item->json ? item->json : "null");
        return;
    case SWI_ITEM_VALUE_JSON:
        swi_text_put(json, *item->value_json ? item->value_json : "null");
        return;
    default:
        swi_text_put(json, "null");
    }
}
