/* SPDX-License-Identifier: MIT */
#include "tools/log/value_line.h"

#include "core/text/digest.h"
#include "core/text/names.h"
#include "tools/log/log_lines.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FOLDER = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC };

/* Larger files are not images or tables. */
#define CONTENT_MAX ((size_t)256 << 20)

int value_folder_open(const char *log)
{
    char *path = NULL;
    if (asprintf(&path, "%.*s.files", (int)swi_length_unpacked(log), log) < 0)
        return -1;
    int folder = open(path, FOLDER);
    free(path);
    return folder;
}

static bool is_part(const char *part, size_t length)
{
    return length > 0 && length < 256 && !(length <= 2 && strncmp(part, "..", length) == 0);
}

/* The folder that holds the last part of a name; NULL of *last: the name is not one of a file. */
static int folder_walk(int folder, const char *name, const char **last)
{
    int at = dup(folder);
    for (size_t length; at >= 0 && name[length = strcspn(name, "/")] == '/'; name += length + 1) {
        char part[256] = "";
        if (is_part(name, length))
            memcpy(part, name, length);
        int next = *part ? openat(at, part, FOLDER) : -1;
        close(at);
        at = next;
    }
    *last = name;
    return at;
}

int value_file_open(int folder, const char *name, int *in)
{
    const char *last = NULL;
    struct stat st;
    int at = folder >= 0 && name ? folder_walk(folder, name, &last) : -1;
    int file = at >= 0 && is_part(last, strlen(last))
                   ? openat(at, last, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
                   : -1;
    if (file >= 0 && (fstat(file, &st) < 0 || !S_ISREG(st.st_mode))) {
        close(file);
        file = -1;
    }
    if (file >= 0 && in)
        *in = at;
    else if (at >= 0)
        close(at);
    return file;
}

static void *file_read(int file, size_t *size)
{
    struct stat st;
    if (fstat(file, &st) < 0 || (size_t)st.st_size > CONTENT_MAX)
        return NULL;
    *size = (size_t)st.st_size;
    char *bytes = malloc(*size + 1);
    size_t done = 0;
    for (ssize_t n = 1; bytes && done < *size && n > 0; done += n > 0 ? (size_t)n : 0)
        n = read(file, bytes + done, *size - done);
    if (bytes && done == *size) {
        bytes[done] = '\0';
        return bytes;
    }
    free(bytes);
    return NULL;
}

static void *text_read(const struct log_value *text, size_t *size)
{
    size_t length = text->size;
    char *bytes = malloc(length / 4 * 3 + 4);
    if (!bytes)
        return NULL;
    *size = swi_base64_read(bytes, log_text(text), length);
    if (*size != SIZE_MAX) {
        bytes[*size] = '\0';
        return bytes;
    }
    free(bytes);
    return NULL;
}

void *value_content(int folder, const struct log_value *of, size_t *size)
{
    const struct log_value *text = log_get(of, "base64");
    if (log_is(text, LOG_STRING))
        return text_read(text, size);
    int file = value_file_open(folder, log_string(of, "file", NULL), NULL);
    if (file < 0)
        return NULL;
    void *bytes = file_read(file, size);
    close(file);
    return bytes;
}
