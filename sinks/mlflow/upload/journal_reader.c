/* SPDX-License-Identifier: MIT */
#include "sinks/mlflow/upload/journal_reader.h"
#include "net/json.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

enum { PIECE = 65536 };

int swi_journal_open(struct swi_journal_reader *reader, const char *path, struct sw_error *err)
{
    *reader = (struct swi_journal_reader){.fd = open(path, O_RDONLY | O_CLOEXEC)};
    if (reader->fd >= 0)
        return 0;
    return sw_error_set(err, SW_EIO, "%s: %s", path, strerror(errno));
}

void swi_journal_close(struct swi_journal_reader *reader)
{
    if (reader->fd >= 0)
        close(reader->fd);
    swi_text_free(&reader->bytes);
    reader->fd = -1;
}

/* Drops what was taken, so that the buffer holds one piece and one line at most. */
static void taken_drop(struct swi_journal_reader *reader)
{
    if (!reader->at)
        return;
    reader->bytes.size -= reader->at;
    memmove(reader->bytes.data, reader->bytes.data + reader->at, reader->bytes.size);
    reader->at = 0;
}

/* Reads more. Returns 1, 0 at the end of the file, or a negative code. */
static int more(struct swi_journal_reader *reader, struct sw_error *err)
{
    taken_drop(reader);
    if (!swi_text_reserve(&reader->bytes, PIECE))
        return sw_error_set(err, SW_ENOMEM, "not enough memory for a line of the journal");
    ssize_t size = read(reader->fd, reader->bytes.data + reader->bytes.size, PIECE);
    if (size < 0)
        return sw_error_set(err, SW_EIO, "the journal cannot be read: %s", strerror(errno));
    reader->bytes.size += (size_t)size;
    return size > 0;
}

/* Returns the next line without its newline, or NULL. */
static const char *line_take(struct swi_journal_reader *reader, size_t *size)
{
    size_t left = reader->bytes.size - reader->at;
    if (left == 0)
        return NULL;
    const char *begin = reader->bytes.data + reader->at;
    const char *end = memchr(begin, '\n', left);
    if (!end)
        return NULL;
    *size = (size_t)(end - begin);
    reader->at += *size + 1;
    reader->offset += (int64_t)*size + 1;
    return begin;
}

int swi_journal_next(struct swi_journal_reader *reader, json_t **line, struct sw_error *err)
{
    size_t size;
    for (;;) {
        const char *text = line_take(reader, &size);
        int rc = text ? 1 : more(reader, err);
        if (rc <= 0)
            return rc;
        *line = text && size ? swi_json_read(text, size) : NULL;
        if (json_is_object(*line))
            return 1;
        json_decref(*line);
        reader->skipped += text && size;
    }
}

size_t swi_journal_rest(const struct swi_journal_reader *reader)
{
    return reader->bytes.size - reader->at;
}
