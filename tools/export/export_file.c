/* SPDX-License-Identifier: MIT */
#include "tools/export/exporting.h"
#include "core/files/in_place.h"
#include "core/text/parts.h"

#include "sinks/common/trace_formats/gzip.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool plain_write(void *arg, const char *data, size_t size)
{
    struct export_file *file = arg;
    file->failed = file->failed || fwrite(data, 1, size, file->file) != size;
    return !file->failed;
}

bool export_file_write(void *arg, const char *data, size_t size)
{
    struct export_file *file = arg;
    if (!file->gzip)
        return plain_write(file, data, size);
    file->failed = file->failed || !swi_gzip_add(file->gzip, data, size);
    return !file->failed;
}

static void folders_make(char *path)
{
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(path, 0777);
        *slash = '/';
    }
}

static int gzip_open(struct export_file *file, const char *path, struct sw_error *err)
{
    if (!swi_ends(path, ".gz"))
        return 0;
    file->gzip = swi_gzip_new(plain_write, file);
    if (file->gzip)
        return 0;
    return sw_error_set(err, SW_EINVAL, "%s: %s", path,
                        swi_gzip_is_known() ? "not enough memory to compress it"
                                            : "this stepwatch was built without zlib: choose a "
                                              "name without .gz");
}

static bool is_special(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && !S_ISREG(st.st_mode);
}

static int file_make(struct export_file *file, const char *path, struct sw_error *err)
{
    file->path = strdup(path);
    if (!file->path || asprintf(&file->temporary, "%s.tmp%ld", path, (long)getpid()) < 0) {
        file->temporary = NULL;
        return sw_error_set(err, SW_ENOMEM, "%s: not enough memory", path);
    }
    folders_make(file->path);
    bool special = is_special(path);
    if (special)
        snprintf(file->temporary, strlen(path) + 1, "%s", path);
    else
        unlink(file->temporary);                                 /* left by a killed process */
    file->file = fopen(file->temporary, special ? "we" : "wxe"); /* no link of another user */
    if (file->file)
        return 0;
    sw_error_set(err, SW_EIO, "%s: cannot be written: %s", errno == EEXIST ? file->temporary : path,
                 strerror(errno));
    free(file->temporary); /* not ours to remove */
    file->temporary = NULL;
    return SW_EIO;
}

int export_file_open(struct export_file *file, const char *path, struct sw_error *err)
{
    *file = (struct export_file){.file = stdout};
    int rc = strcmp(path, "-") == 0 ? 0 : file_make(file, path, err);
    return rc < 0 ? rc : gzip_open(file, path, err);
}

static void parts_free(struct export_file *file)
{
    free(file->path);
    free(file->temporary);
    *file = (struct export_file){0};
}

int export_file_close(struct export_file *file, bool whole, struct sw_error *err)
{
    int rc = 0;
    if (file->gzip && !swi_gzip_end(file->gzip))
        file->failed = true;
    const char *name = file->path ? file->path : "stdout";
    bool flushed = file->file && fflush(file->file) == 0;
    int reason = errno;
    if (file->file && file->path)
        flushed = fclose(file->file) == 0 && flushed;
    if (whole && (file->failed || !flushed))
        rc = sw_error_set(err, SW_EIO, "%s: cannot be written: %s", name, strerror(reason));
    bool renames = file->path && file->temporary && strcmp(file->path, file->temporary) != 0;
    if (renames && whole && rc == 0 && swi_rename_or_copy(file->temporary, file->path) != 0)
        rc = sw_error_set(err, SW_EIO, "%s: cannot be written: %s", name, strerror(errno));
    if (renames && (!whole || rc < 0))
        unlink(file->temporary);
    parts_free(file);
    return rc;
}
