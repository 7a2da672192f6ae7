/* SPDX-License-Identifier: MIT */
/* fuzz_wandb.c - whatever is in a .wandb file, its reader ends and knows where.
 *
 * An input that begins as a .wandb file is one; any other is a record, and gets its frame here, or
 * no input would come past the checksums. For libFuzzer (make fuzz-wandb), and with the seeds of
 * tests/fuzz/wandb a suite of tests/check. */
#include "tests/fuzz/fuzz.h"

#include "core/text/digest.h"
#include "sinks/wandb/file/leveldb_log.h"
#include "sinks/wandb/file/reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static void require_values(const struct swi_item_message *const *item, size_t count)
{
    struct swi_text json = {0};
    for (size_t i = 0; i < count; i++) {
        json.size = 0;
        swi_wandb_item_json(&json, item[i]);
        require(json.size > 0 && !json.failed);
    }
    swi_text_free(&json);
}

static void require_record(const struct swi_record_message *record)
{
    struct swi_text bytes = {0};
    swi_record_message_add(&bytes, record);
    require(bytes.size < 2 * (size_t)SWI_READER_DECODED && !bytes.failed);
    swi_text_free(&bytes);
    if (record->what == SWI_RECORD_HISTORY)
        require_values(record->history->item, record->history->n_item);
    if (record->what == SWI_RECORD_SUMMARY)
        require_values(record->summary->update, record->summary->n_update);
}

/* Reads as far as the file goes so far. Each call but the last continues in the file. */
static void read_on(struct swi_wandb_reader *reader)
{
    const struct swi_record_message *record = NULL;
    struct sw_error err;
    uint64_t before = reader->offset;
    int rc;
    while ((rc = swi_wandb_reader_next(reader, &record, &err)) != 0) {
        require(rc == 1 || rc == SW_EFORMAT);
        require(reader->offset > before && reader->offset <= reader->size);
        before = reader->offset;
        if (rc == 1)
            require_record(record);
    }
    require(reader->offset >= before && reader->offset <= reader->size);
}

static void append(int fd, const void *bytes, size_t size)
{
    require(size == 0 || write(fd, bytes, size) == (ssize_t)size);
}

/* In two steps, as a file that grows. */
static int64_t read_file(const uint8_t *data, size_t size)
{
    char path[64];
    struct sw_error err;
    struct swi_wandb_reader reader;
    int64_t records = 0;
    int fd = memfd_create("fuzz", MFD_CLOEXEC);
    require(fd >= 0);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    append(fd, data, size / 2);
    if (swi_wandb_reader_open(&reader, path, &err) == 0) {
        if (reader.headed)
            read_on(&reader);
        append(fd, data + size / 2, size - size / 2);
        if (reader.headed)
            read_on(&reader);
        records = reader.records;
        swi_wandb_reader_close(&reader);
    }
    close(fd);
    return records;
}

static size_t chunk(uint8_t *to, const uint8_t *data, size_t size)
{
    uint8_t head[] = {0, 0, 0, 0, (uint8_t)size, (uint8_t)(size >> 8), 1};
    uint32_t crc = swi_crc32(swi_crc32(0, head + 6, 1), data, size);
    for (int i = 0; i < 4; i++)
        head[i] = (uint8_t)(crc >> (8 * i));
    memcpy(to, head, sizeof head);
    memcpy(to + sizeof head, data, size);
    return sizeof head + size;
}

static const uint8_t file_head[] = {0x3a, 0x57, 0x26, 0x42, 0xe1, 0xbe, 0x00};

/* Twice, so that the first is there before the file has grown. */
static int64_t read_record(const uint8_t *data, size_t size)
{
    uint8_t file[7 + 2 * 7 + 2 * 8192];
    size = size < 8192 ? size : 8192;
    memcpy(file, file_head, sizeof file_head);
    size_t at = sizeof file_head;
    at += chunk(file + at, data, size);
    at += chunk(file + at, data, size);
    return read_file(file, at);
}

int64_t fuzz_wandb(const uint8_t *data, size_t size)
{
    bool whole = size >= sizeof file_head && memcmp(data, file_head, sizeof file_head) == 0;
    return whole ? read_file(data, size) : size ? read_record(data, size) : read_file(file_head, 0);
}
