/* SPDX-License-Identifier: MIT */

#include "config/yaml_tree.h"
#include "core/plugins/trust.h"
#include "core/plugins/settings.h"
#include "core/text/characters.h"
#include "core/text/printable.h"
#include "core/files/walk.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Names the working directory too: a program that is started in another folder looks for the file
 * in the wrong place. */
static int not_opened(const char *path, int reason, struct sw_error *err)
{
    char *here = reason == ENOENT && *path != '/' ? swi_working_directory() : NULL;
    int rc = sw_error_set(err, SW_EIO, "%s: cannot be read: %s%s%s", path, strerror(reason),
                          here && *here ? "; the working directory is " : "",
                          here ? SWI_PRINTABLE(here) : "");
    free(here);
    return rc;
}

/* Opens without waiting for the other end of a FIFO. Reading from it waits again. */
static int open_file(const char *path, struct sw_error *err)
{
    struct stat info;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0 || fstat(fd, &info) < 0 || fcntl(fd, F_SETFL, 0) < 0) {
        int reason = errno;
        if (fd >= 0)
            close(fd);
        return not_opened(path, reason, err);
    }
    if (!S_ISDIR(info.st_mode))
        return fd;
    close(fd);
    return sw_error_set(err, SW_EIO, "%s: is a directory: expected a YAML file", path);
}

/* ---- the file that nobody named -------------------------------------------------------------- */

static int here_refused(const char *name, const char *what, const char *where, struct sw_error *err)
{
    return sw_error_set(err, SW_EIO,
                        "%s: %s%s%s, and is not read: name it in STEPWATCH_CONFIG if it is yours",
                        name, what, *where ? " in a folder " : "", where);
}

/* Refuses a file that another user who can write to the working folder may have put there. */
static int here_check(const char *name, const struct stat *file, const struct stat *folder,
                      struct sw_error *err)
{
    if (S_ISDIR(file->st_mode))
        return sw_error_set(err, SW_EIO, "%s: is a directory: expected a YAML file", name);
    if (!S_ISREG(file->st_mode))
        return sw_error_set(err, SW_EIO, "%s: is a %s: expected a YAML file", name,
                            S_ISFIFO(file->st_mode) ? "FIFO" : "device or a socket");
    if (swi_owner_is_trusted(file->st_uid))
        return 0;
    if (folder->st_mode & S_IWOTH)
        return here_refused(name, "belongs to another user", swi_folder_suspect(folder), err);
    /* The caller of a setuid program chooses its working folder. */
    return swi_is_privileged() ? here_refused(name, "belongs to another user", "", err) : 0;
}

static int walk_failed(const struct swi_walk *walk, const char *name, struct sw_error *err)
{
    if (walk->reason)
        return not_opened(name, walk->reason, err);
    sw_error_prefix(err, "%s", name);
    return SW_EIO;
}

/* Opens the file that was checked. Without /proc, opens it by its name, because no other user may
 * write to the folder. */
static int open_seen(const struct swi_walk *walk, const char *name, int seen, struct sw_error *err)
{
    char same[64];
    snprintf(same, sizeof same, "/proc/self/fd/%d", seen);
    int fd = open(same, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0 && errno == ENOENT)
        fd = openat(walk->folder, walk->rest, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    return fd < 0 ? not_opened(name, errno, err) : fd;
}

static int open_here(const char *name, struct sw_error *err)
{
    struct swi_walk walk = {.folder = -1};
    struct stat file, folder;
    int rc = swi_walk_begin(&walk, name, err);
    int seen = rc < 0 ? rc : swi_walk_open(&walk, &file, err);
    if (seen < 0)
        rc = walk_failed(&walk, name, err);
    else if (fstat(walk.folder, &folder) < 0)
        rc = not_opened(name, errno, err);
    else
        rc = here_check(name, &file, &folder, err);
    int fd = rc < 0 ? rc : open_seen(&walk, name, seen, err);
    if (seen >= 0)
        close(seen);
    swi_walk_end(&walk);
    return fd;
}

/* ---- reading --------------------------------------------------------------------------------- */

enum { ROOM_FIRST = 4096, ROOM_MOST = SWI_CONFIG_BYTES + 1 };

/* Makes more room. Returns false if out of memory. */
static bool grow(char **text, size_t *room)
{
    size_t more = *room ? 2 * *room : ROOM_FIRST;
    more = more < ROOM_MOST ? more : ROOM_MOST;
    char *grown = realloc(*text, more);
    if (!grown)
        return false;
    *text = grown;
    *room = more;
    return true;
}

/* Reads up to the limit, and one byte more if there is more. */
static int read_all(int fd, char **text, size_t *size)
{
    size_t room = 0;
    ssize_t n = 1;
    *size = 0;
    while (n != 0 && *size < ROOM_MOST) {
        if (*size == room && !grow(text, &room))
            return -1;
        n = read(fd, *text + *size, room - *size);
        if (n < 0 && errno != EINTR)
            return -1;
        *size += n > 0 ? (size_t)n : 0;
    }
    return 0;
}

int swi_source_read(const char *path, bool named, char **text, size_t *size, struct sw_error *err)
{
    int fd = named ? open_file(path, err) : open_here(path, err);
    if (fd < 0)
        return fd;
    char *buffer = NULL;
    int rc = read_all(fd, &buffer, size), reason = errno;
    close(fd);
    if (rc == 0) {
        *text = buffer;
        return 0;
    }
    free(buffer);
    return sw_error_set(err, reason == ENOMEM ? SW_ENOMEM : SW_EIO, "%s: cannot be read: %s", path,
                        strerror(reason));
}

/* Returns whether YAML allows a character. */
static bool is_allowed(uint32_t code)
{
    if (code < 0x20)
        return code == '\t' || code == '\n' || code == '\r';
    return (code < 0x7f || code == 0x85 || code >= 0xa0) && code != 0xfeff && code != 0xfffe &&
           code != 0xffff;
}

static void add_character(const char *text, size_t size, const struct swi_where *where,
                          struct swi_mistakes *mistakes)
{
    uint32_t code = 0;
    if (*text == '\0')
        swi_mistakes_add(mistakes, where, "found a NUL byte: expected a YAML file in UTF-8");
    else if (!swi_utf8_next(text, size, &code))
        swi_mistakes_add(mistakes, where,
                         "the byte 0x%02x is not valid UTF-8: save the file as UTF-8",
                         (unsigned)(unsigned char)*text);
    else
        swi_mistakes_add(mistakes, where,
                         "the control character U+%04" PRIX32
                         " is not allowed here: remove it, or write it as \"\\u%04" PRIX32 "\"",
                         code, code);
}

/* Advances the place by one character. A line ends with \n, \r or both. */
static void step(struct swi_where *where, const char *text, size_t left, size_t length)
{
    if (*text == '\n' || (*text == '\r' && !(left > 1 && text[1] == '\n'))) {
        where->line++;
        where->column = 1;
    } else if (length) {
        where->column++;
    }
}

static bool check_characters(const char *text, size_t size, const char *name,
                             struct swi_mistakes *mistakes)
{
    struct swi_where where = {.file = name, .line = 1, .column = 1};
    const char *end = text + size;
    if (size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0)
        text += 3;
    while (text < end) {
        uint32_t code = 0;
        size_t left = (size_t)(end - text), length = swi_utf8_next(text, left, &code);
        if (!length || !is_allowed(code)) {
            add_character(text, left, &where, mistakes);
            return false;
        }
        step(&where, text, left, length);
        text += length;
    }
    return true;
}

static bool is_utf16(const char *text, size_t size)
{
    return size >= 2 && (memcmp(text, "\xff\xfe", 2) == 0 || memcmp(text, "\xfe\xff", 2) == 0);
}

bool swi_source_check(const char *text, size_t size, const char *name,
                      struct swi_mistakes *mistakes)
{
    struct swi_where where = {.file = name, .line = 0, .column = 0};
    if (size > SWI_CONFIG_BYTES) {
        swi_mistakes_add(mistakes, &where, "is larger than 1 MiB: is it a configuration?");
        return false;
    }
    if (is_utf16(text, size)) {
        swi_mistakes_add(mistakes, &where, "is UTF-16: save the file as UTF-8");
        return false;
    }
    return check_characters(text, size, name, mistakes);
}
