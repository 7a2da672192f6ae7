/* SPDX-License-Identifier: MIT */
#include "sinks/common/functions/profile.h"
#include "core/text/names.h"
#include "core/text/opened.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- makes file names -------------------------------------------------------------------------
 */

char *file_name_like_lightning(const char *name)
{
    char *file = strdup(name), *to = file;
    for (const char *from = name; file && *from; from++) {
        bool unfit = strchr("_\\/:*?\"<>|\n\r\t", *from) || (unsigned char)*from < 32;
        if (!unfit)
            *to++ = *from;
        else if (to == file || to[-1] != '_')
            *to++ = '_';
    }
    if (file)
        *to = '\0';
    return file;
}

/* Of an action. */
static char *fit_name(const char *name)
{
    char *file = file_name_like_lightning(name), *other = NULL;
    if (!file)
        return NULL;
    if (*file && strcmp(file, ".") != 0 && strcmp(file, "..") != 0 && strcmp(file, "whole") != 0)
        return file;
    int size = asprintf(&other, "_%s", file);
    free(file);
    return size < 0 ? NULL : other;
}

char *function_file_name(struct swi_map *taken, const char *name)
{
    char room[SWI_FILE_PART_MAX + 1], *clean = fit_name(name), *file = NULL;
    const char *fit = clean ? swi_name_shorten(clean, SWI_FILE_PART_MAX, room) : NULL;
    size_t before = taken->count;
    for (int n = 1; fit && taken->count == before; n++) {
        free(file);
        if (asprintf(&file, n > 1 ? "%s_%d" : "%s", fit, n) < 0)
            file = NULL;
        if (!file || swi_map_add(taken, file, strlen(file)) < 0)
            break;
    }
    if (taken->count == before) {
        free(file);
        file = NULL;
    }
    free(clean);
    return file;
}

/* ---- a file as memory, and the profile in it ------------------------------------------------- */

int profile_file_open(struct profile_file *file, const char *path, struct sw_error *err)
{
    struct stat status;
    *file = (struct profile_file){0};
    SWI_CLOSED int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0 || fstat(fd, &status) != 0 || !S_ISREG(status.st_mode))
        return sw_error_set(err, SW_EIO, "%s", fd < 0 ? strerror(errno) : "not a file");
    void *data = status.st_size ? mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0)
                                : MAP_FAILED;
    if (data == MAP_FAILED)
        return sw_error_set(err, SW_EINVAL, "the file is empty or cannot be read");
    *file = (struct profile_file){data, (size_t)status.st_size};
    return 0;
}

void profile_file_close(struct profile_file *file)
{
    if (file->data)
        munmap((void *)file->data, file->size);
    *file = (struct profile_file){0};
}

int profile_file_read(const struct profile_file *file, struct profile *profile,
                      void (*without_lines)(const char *object), struct sw_error *err)
{
    int rc = profile_read(file->data, file->size, profile, err);
    if (rc == 0 && !function_names_find(profile->names, profile->name_count, without_lines))
        rc = sw_error_set(err, SW_ENOMEM, "not enough memory for the names of functions");
    return rc;
}
