/* SPDX-License-Identifier: MIT */
#include "sinks/wandb/console/followed_file.h"
#include "core/text/characters.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- lines of output ------------------------------------------------------------------------- */

/* Adds the first bytes of the rest as a line, and keeps the others. */
static void line_add(struct swi_console_lines *console, size_t size, struct swi_text *lines)
{
    struct swi_text *rest = &console->rest;
    char *line = swi_utf8_repair(rest->data ? rest->data : "", size);
    swi_text_put(lines, line ? line : "");
    swi_text_put(lines, "\n");
    lines->failed |= !line;
    free(line);
    rest->size -= size;
    if (rest->size)
        memmove(rest->data, rest->data + size, rest->size);
}

/* Returns how many bytes of the rest are complete characters. */
static size_t whole_characters(const struct swi_text *rest)
{
    size_t size = rest->size;
    for (int i = 0; i < 4 && size; i++) {
        unsigned char last = (unsigned char)rest->data[--size];
        if ((last & 0xc0) != 0x80)
            return last < 0x80 ? size + 1 : size;
    }
    return rest->size;
}

/* Adds characters of one line. */
static void part_add(struct swi_console_lines *console, const char *bytes, size_t size,
                     struct swi_text *lines)
{
    if (console->returned)
        console->rest.size = 0;
    console->returned = false;
    while (size && !console->rest.failed) {
        size_t room = SWI_CONSOLE_LINE_MAX - console->rest.size;
        size_t now = size < room ? size : room;
        swi_text_add(&console->rest, bytes, now);
        if (console->rest.size == SWI_CONSOLE_LINE_MAX)
            line_add(console, whole_characters(&console->rest), lines);
        bytes += now;
        size -= now;
    }
}

/* Handles the character at which a part ends. */
static void separator(struct swi_console_lines *console, char c, struct swi_text *lines)
{
    if (c == '\n' && !console->skipping)
        line_add(console, console->rest.size, lines);
    if (c == '\n')
        console->returned = console->skipping = false;
    else if (c == '\r')
        console->returned = true;
}

static bool is_separator(char c)
{
    return c == '\n' || c == '\r' || c == '\0';
}

void swi_console_lines_add(struct swi_console_lines *console, const char *bytes, size_t size,
                           struct swi_text *lines)
{
    for (size_t at = 0; at < size; at++) {
        size_t end = at;
        while (end < size && !is_separator(bytes[end]))
            end++;
        if (end > at && !console->skipping)
            part_add(console, bytes + at, end - at, lines);
        if (end < size)
            separator(console, bytes[end], lines);
        at = end;
    }
    lines->failed |= console->rest.failed;
}

void swi_console_lines_end(struct swi_console_lines *console, struct swi_text *lines)
{
    if (console->rest.size)
        line_add(console, console->rest.size, lines);
    console->returned = false;
}

void swi_console_lines_free(struct swi_console_lines *console)
{
    swi_text_free(&console->rest);
}

/* ---- the file -------------------------------------------------------------------------------- */

enum { PIECE = 32 << 10 };

bool swi_followed_file_is(int descriptor, struct stat *status)
{
    return fstat(descriptor, status) == 0 && S_ISREG(status->st_mode);
}

static void take(struct swi_followed_file *file, int fd, const struct stat *status)
{
    file->followed = true;
    file->fd = fd;
    file->identity = (struct swi_identity){status->st_dev, status->st_ino};
}

/* Opens the file again, so that reading has a position of its own. Works for files without a name,
 * too. */
static int open_again(int descriptor)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", descriptor);
    return open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
}

/* Returns where the program writes next. */
static off_t position_of(int descriptor, const struct stat *status)
{
    int flags = fcntl(descriptor, F_GETFL);
    off_t at = flags >= 0 && flags & O_APPEND ? status->st_size : lseek(descriptor, 0, SEEK_CUR);
    return at < 0 ? status->st_size : at;
}

int swi_followed_file_begin(struct swi_followed_file *file, int descriptor, struct sw_error *err)
{
    struct stat status;
    *file = (struct swi_followed_file){.descriptor = descriptor};
    if (!swi_followed_file_is(descriptor, &status))
        return sw_error_set(err, SW_EIO, "it is not a regular file");
    int fd = open_again(descriptor);
    if (fd < 0)
        return sw_error_set(err, SW_EIO, "%s", strerror(errno));
    take(file, fd, &status);
    file->at = position_of(descriptor, &status);
    return 0;
}

int swi_followed_file_begin_path(struct swi_followed_file *file, const char *path, bool at_end)
{
    struct stat status;
    *file = (struct swi_followed_file){.descriptor = -1};
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
    if (fd < 0)
        return 0;
    if (!swi_followed_file_is(fd, &status)) {
        close(fd);
        return 0;
    }
    take(file, fd, &status);
    file->at = at_end ? status.st_size : 0;
    return 1;
}

/* The program gave its descriptor another file. Its old one was read to its end before. */
static void exchange(struct swi_followed_file *file, const struct stat *status,
                     struct swi_text *lines)
{
    int fd = open_again(file->descriptor);
    if (fd < 0)
        return;
    swi_console_lines_end(&file->lines, lines);
    swi_identity_close(&file->identity, file->fd);
    take(file, fd, status);
    int flags = fcntl(file->descriptor, F_GETFL);
    file->at = flags >= 0 && flags & O_APPEND ? status->st_size : 0;
}

static bool is_other(const struct swi_followed_file *file, struct stat *status)
{
    return file->descriptor >= 0 && swi_followed_file_is(file->descriptor, status) &&
           (status->st_dev != file->identity.device || status->st_ino != file->identity.inode);
}

/* A hole is what a program leaves that goes on writing at its old position after its file was
 * truncated. */
static void holes_pass(struct swi_followed_file *file)
{
    off_t data = lseek(file->fd, file->at, SEEK_DATA);
    if (data > file->at)
        file->at = data;
}

int64_t swi_followed_file_look(struct swi_followed_file *file, struct swi_text *lines)
{
    struct stat status, other;
    bool holds = swi_identity_holds(&file->identity, file->fd, &status);
    if ((!holds || status.st_size == file->at) && is_other(file, &other)) {
        exchange(file, &other, lines);
        holds = swi_identity_holds(&file->identity, file->fd, &status);
    }
    if (!holds)
        return 0;
    if (status.st_size < file->at) {
        swi_console_lines_end(&file->lines, lines);
        file->at = 0;
    }
    if (status.st_size > file->at)
        holes_pass(file);
    return status.st_size > file->at ? status.st_size - file->at : 0;
}

void swi_followed_file_skip(struct swi_followed_file *file, int64_t bytes, struct swi_text *lines)
{
    swi_console_lines_end(&file->lines, lines);
    file->lines.skipping = true;
    file->at += bytes;
}

int64_t swi_followed_file_read(struct swi_followed_file *file, int64_t most, struct swi_text *lines)
{
    char piece[PIECE];
    int64_t done = 0;
    while (done < most) {
        size_t now = most - done < PIECE ? (size_t)(most - done) : PIECE;
        ssize_t got = pread(file->fd, piece, now, file->at);
        if (got <= 0)
            break;
        swi_console_lines_add(&file->lines, piece, (size_t)got, lines);
        file->at += got;
        done += got;
    }
    return done;
}

void swi_followed_file_close(struct swi_followed_file *file)
{
    if (file->followed)
        swi_identity_close(&file->identity, file->fd);
    swi_console_lines_free(&file->lines);
    file->followed = false;
}
