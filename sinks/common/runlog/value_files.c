/* SPDX-License-Identifier: MIT */
#include "core/text/names.h"
#include "core/text/digest.h"
#include "sinks/common/file_names.h"
#include "sinks/common/part_file.h"
#include "sinks/common/runlog/value_lines.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { TABLE_MAX = 64 << 10 };

static bool is_a_file(const char *path)
{
    struct stat st;
    return lstat(path, &st) == 0 && S_ISREG(st.st_mode);
}

void swi_value_files_init(struct swi_value_files *files, struct sw_sink *sink, const char *path,
                          enum swi_beside how)
{
    SW_ERROR_SCOPE(ignored);
    char log[PATH_MAX];
    files->sink = sink;
    files->how = how;
    files->table_max = TABLE_MAX;
    snprintf(files->copies, sizeof files->copies, "files");
    if (how != SWI_BESIDE)
        return;
    bool beside = strcmp(path, "-") != 0 &&
                  sw_sink_resolve(sink, path, log, sizeof log, &ignored) == 0 && is_a_file(log) &&
                  snprintf(files->folder, sizeof files->folder, "%.*s.files",
                           (int)swi_length_unpacked(log), log) < PATH_MAX - 300;
    files->how = beside ? SWI_BESIDE : SWI_INLINE_VALUES;
}

void swi_value_files_in(struct swi_value_files *files, struct sw_sink *sink, const char *folder,
                        const char *copies)
{
    files->sink = sink;
    files->how = SWI_BESIDE;
    files->table_max = TABLE_MAX;
    snprintf(files->folder, sizeof files->folder, "%.*s", PATH_MAX - 300, folder);
    snprintf(files->copies, sizeof files->copies, "%s", copies);
}

void swi_value_files_fini(struct swi_value_files *files)
{
    swi_map_free(&files->contents);
    swi_map_free(&files->names);
    free(files->written);
    files->written = NULL; /* a log that rotates goes on with other files */
}

/* ---- which there are ---- */

static const char *written_find(const struct swi_value_files *files, const char *sha256)
{
    ptrdiff_t number = swi_map_find(&files->contents, sha256, strlen(sha256));
    return number < 0 ? NULL : files->written[number];
}

/* NULL without memory. */
static const char *written_add(struct swi_value_files *files, const char *sha256, const char *name)
{
    ptrdiff_t number = swi_map_add(&files->names, name, strlen(name));
    const char **written = number < 0 ? NULL
                                      : swi_map_item(&files->contents, &files->written,
                                                     sizeof *written, sha256, strlen(sha256));
    return written ? *written = files->names.name[number].text : NULL;
}

/* ---- writing ---- */

static const char *complain(struct swi_value_files *files, const struct sw_error *err)
{
    if (!files->said)
        sw_sink_say(files->sink, SW_WARNING,
                    "%s: the line of the value is written without the file; more such files are "
                    "counted as lost",
                    sw_error_text(err));
    files->said = true;
    sw_sink_lost(files->sink, 1);
    return NULL;
}

/* A file below the folder that is not complete yet; core makes the folders. */
static int part_begin(struct swi_value_files *files, const char *name, FILE **part,
                      struct sw_error *err)
{
    char path[PATH_MAX];
    const char *slash = strrchr(name, '/');
    int folders = slash ? (int)(slash - name) + 1 : 0;
    snprintf(path, sizeof path, "%.*s/%.*s.part-%u", PATH_MAX - 300, files->folder, folders, name,
             files->parts++);
    return sw_sink_create(files->sink, path, part, err);
}

/* Gives it its name, or removes it. */
static int part_end(struct swi_value_files *files, FILE *part, const char *name,
                    struct sw_error *err)
{
    char path[PATH_MAX] = "";
    if (name)
        snprintf(path, sizeof path, "%.*s/%s", PATH_MAX - 300, files->folder, name);
    return sw_sink_finish(files->sink, part, path, err);
}

/* Whether an earlier run of the same log has written it. */
static bool is_there(const struct swi_value_files *files, const char *name, size_t size)
{
    char path[PATH_MAX];
    struct stat st;
    snprintf(path, sizeof path, "%.*s/%s", PATH_MAX - 300, files->folder, name);
    return lstat(path, &st) == 0 && S_ISREG(st.st_mode) && (size_t)st.st_size == size;
}

static int file_write(struct swi_value_files *files, const char *name, const void *bytes,
                      size_t size, struct sw_error *err)
{
    FILE *part;
    int rc = part_begin(files, name, &part, err);
    if (rc < 0)
        return rc;
    SW_ERROR_SCOPE(ignored);
    rc = sw_sink_write(files->sink, part, bytes, size, err);
    if (rc < 0)
        part_end(files, part, NULL, &ignored);
    else
        rc = part_end(files, part, name, err);
    return rc;
}

const char *swi_value_files_put(struct swi_value_files *files, const char *name, const void *bytes,
                                size_t size, const char *sha256)
{
    SW_ERROR_SCOPE(err);
    const char *written = written_find(files, sha256);
    if (written || files->how != SWI_BESIDE)
        return written;
    if (!is_there(files, name, size) && file_write(files, name, bytes, size, &err) < 0)
        return complain(files, &err);
    return written_add(files, sha256, name);
}

/* ---- copying ---- */

/* COPIES/model.bin; where another file has that name, COPIES/SHA20/model.bin: the last part is
 * always that of the program's file. */
static void copy_name(struct swi_text *text, const struct swi_value_files *files, const char *base,
                      const char *sha256)
{
    swi_text_format(text, "%s/", files->copies);
    swi_media_path(text, base);
    if (text->failed || swi_map_find(&files->names, text->data, text->size) < 0)
        return;
    text->size = 0;
    swi_text_format(text, "%s/%.20s/", files->copies, sha256);
    swi_media_path(text, base);
}

static const char *part_name(struct swi_value_files *files, FILE *part, const char *base,
                             const char *sha256, struct sw_error *err)
{
    struct swi_text name = {0};
    const char *written = written_find(files, sha256);
    if (written) {
        part_end(files, part, NULL, err);
        return written;
    }
    copy_name(&name, files, base, sha256);
    if (!name.failed && part_end(files, part, name.data, err) == 0)
        written = written_add(files, sha256, name.data);
    swi_text_free(&name);
    return written ? written : complain(files, err);
}

const char *swi_value_files_copy(struct swi_value_files *files, const struct sw_kept_file *file,
                                 char sha256[65], int64_t *bytes)
{
    SW_ERROR_SCOPE(err);
    SW_ERROR_SCOPE(ignored);
    struct swi_sha256 sha;
    FILE *part = NULL;
    char below[sizeof files->copies + 1];
    snprintf(below, sizeof below, "%s/", files->copies);
    swi_sha256_init(&sha);
    int rc = files->how == SWI_BESIDE ? part_begin(files, below, &part, &err) : 0;
    rc = rc < 0 ? rc : swi_copy_file(files->sink, file, part, &sha, &err);
    *bytes = (int64_t)sha.size;
    swi_sha256_end(&sha, sha256);
    if (rc < 0 && part)
        part_end(files, part, NULL, &ignored);
    if (rc < 0)
        return complain(files, &err);
    return part ? part_name(files, part, file->base, sha256, &err) : NULL;
}
