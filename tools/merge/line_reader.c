/* SPDX-License-Identifier: MIT */
#include "tools/merge/line_reader.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ROOM = 256 << 10 };

static int refuse(const struct line_reader *reader, const char *why, struct sw_error *err)
{
    return sw_error_set(err, SW_EIO, "%s: cannot be read: %s", reader->path, why);
}

static const char *kind_of(const struct stat *st)
{
    return S_ISDIR(st->st_mode)   ? "it is a folder, expected a file"
           : S_ISREG(st->st_mode) ? NULL
                                  : "it is not a file, and a log is read more than once";
}

int line_reader_open(struct line_reader *reader, const char *path, struct sw_error *err)
{
    struct stat st = {0};
    reader->path = path;
    reader->begin = reader->end = 0;
    reader->number = 0;
    /* Non-blocking, because a FIFO may have no writer. */
    reader->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (reader->fd < 0 || fstat(reader->fd, &st) != 0)
        return refuse(reader, strerror(errno), err);
    reader->size = st.st_size;
    return kind_of(&st) ? refuse(reader, kind_of(&st), err) : 0;
}

/* Makes room for more data after what is there. */
static bool room_make(struct line_reader *reader)
{
    if (reader->buffer && reader->begin)
        memmove(reader->buffer, reader->buffer + reader->begin, reader->end - reader->begin);
    reader->end -= reader->begin;
    reader->begin = 0;
    if (reader->room > reader->end + 1)
        return true;
    size_t room = reader->room ? 2 * reader->room : ROOM;
    char *grown = realloc(reader->buffer, room);
    if (!grown)
        return false;
    reader->buffer = grown;
    reader->room = room;
    return true;
}

/* Reads more. Returns the number of bytes, 0 at the end, or a negative code. */
static ssize_t more_read(struct line_reader *reader, struct sw_error *err)
{
    ssize_t n;
    if (!room_make(reader))
        return sw_error_set(err, SW_ENOMEM, "%s: not enough memory for a line", reader->path);
    do
        n = read(reader->fd, reader->buffer + reader->end, reader->room - reader->end - 1);
    while (n < 0 && errno == EINTR);
    if (n < 0)
        return refuse(reader, strerror(errno), err);
    reader->end += (size_t)n;
    return n;
}

static int give(struct line_reader *reader, size_t size, char **line, bool *whole)
{
    *line = reader->buffer + reader->begin;
    *whole = size < reader->end - reader->begin;
    (*line)[size] = '\0';
    reader->begin += size + *whole;
    reader->number++;
    return 1;
}

/* Returns the newline of the current line, or NULL. The first `looked` bytes have none. */
static char *newline_find(const struct line_reader *reader, size_t looked)
{
    size_t size = reader->end - reader->begin;
    if (!reader->buffer || size <= looked)
        return NULL;
    return memchr(reader->buffer + reader->begin + looked, '\n', size - looked);
}

int line_reader_next(struct line_reader *reader, char **line, bool *whole, struct sw_error *err)
{
    size_t looked = 0;
    for (;;) {
        const char *newline = newline_find(reader, looked);
        if (newline)
            return give(reader, (size_t)(newline - reader->buffer) - reader->begin, line, whole);
        looked = reader->end - reader->begin;
        ssize_t n = more_read(reader, err);
        if (n < 0)
            return (int)n;
        if (n == 0)
            return looked ? give(reader, looked, line, whole) : 0;
    }
}

void line_reader_tail(struct line_reader *reader, off_t size)
{
    SW_ERROR_SCOPE(ignored);
    char *line;
    bool whole;
    if (reader->size <= size || lseek(reader->fd, reader->size - size, SEEK_SET) < 0)
        return;
    reader->begin = reader->end = 0;
    line_reader_next(reader, &line, &whole, &ignored);
}

void line_reader_close(struct line_reader *reader)
{
    if (reader->fd >= 0)
        close(reader->fd);
    reader->fd = -1;
}

void line_reader_free(struct line_reader *reader)
{
    line_reader_close(reader);
    free(reader->buffer);
    reader->buffer = NULL;
}
