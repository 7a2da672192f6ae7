/* SPDX-License-Identifier: MIT */
#include "sinks/mlflow/artifact_files.h"
#include "core/text/escape.h"
#include "sinks/common/part_file.h"
#include "sinks/mlflow/upload/clean_key.h"

#include <string.h>

/* An image has 100 characters more in its name, and a file system allows 255. */
enum { KEY_MAX = 150 };

void swi_artifact_key(struct swi_text *path, const char *name)
{
    struct swi_text key = {0};
    swi_clean_key(&key, name, strlen(name), KEY_MAX, true);
    swi_text_add(path, key.data ? key.data : "", key.size);
    path->failed |= key.failed;
    swi_text_free(&key);
}

void swi_artifact_missing(struct mlflow *m, const char *name, const struct sw_error *err)
{
    struct swi_text safe = {0};
    if (!m->value_missing) {
        swi_escape_terminal(&safe, name);
        sw_sink_say(m->sink, 1, "%.300s is not in the run: %s; more such values are only counted",
                    safe.data ? safe.data : "", sw_error_text(err));
    }
    m->value_missing = true;
    sw_sink_lost(m->sink, 1);
    swi_text_free(&safe);
}

void swi_artifact_line(struct mlflow *m, const char *path, const char *file, bool table)
{
    swi_text_put(&m->lines, "{\"type\":\"artifact\",\"path\":");
    swi_escape_json(&m->lines, path);
    if (file) {
        swi_text_put(&m->lines, ",\"file\":");
        swi_escape_json(&m->lines, file);
    }
    swi_text_put(&m->lines, table ? ",\"table\":true}\n" : "}\n");
}

/* The line comes after the file, so that it never names what does not exist. */
static bool end(struct mlflow *m, const struct swi_text *path, bool table, int rc,
                const struct sw_error *err)
{
    if (rc < 0)
        swi_artifact_missing(m, path->data ? path->data : "a value", err);
    else
        swi_artifact_line(m, path->data, NULL, table);
    return rc == 0;
}

static int below_make(char *below, size_t size, const struct swi_text *path, struct sw_error *err)
{
    if (path->failed || snprintf(below, size, "artifacts/%s", path->data) >= (int)size)
        return sw_error_set(err, SW_ENOMEM, "not enough memory for its path");
    return 0;
}

bool swi_artifact_put(struct mlflow *m, const struct swi_text *path, const void *bytes, size_t size,
                      bool table)
{
    SW_ERROR_SCOPE(err);
    struct swi_part part;
    char below[1024];
    int rc = below_make(below, sizeof below, path, &err);
    if (rc == 0)
        rc = swi_part_begin(&part, m->sink, m->folder, below, 0, &err);
    if (rc == 0) {
        rc = size ? sw_sink_write(m->sink, part.file, bytes, size, &err) : 0;
        rc = swi_part_close(&part, below, rc, &err);
    }
    return end(m, path, table, rc, &err);
}

bool swi_artifact_copy(struct mlflow *m, const struct swi_text *path,
                       const struct sw_kept_file *file)
{
    SW_ERROR_SCOPE(err);
    struct swi_part part;
    struct swi_sha256 sha;
    char below[1024];
    int rc = below_make(below, sizeof below, path, &err);
    if (rc == 0)
        rc = swi_part_begin(&part, m->sink, m->folder, below, 0, &err);
    if (rc == 0) {
        rc = swi_copy_file(m->sink, file, part.file, &sha, &err);
        rc = swi_part_close(&part, below, rc, &err);
    }
    return end(m, path, false, rc, &err);
}
