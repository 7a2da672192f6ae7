/* SPDX-License-Identifier: MIT */
#include "sinks/wandb/media_files.h"

#include "core/text/escape.h"
#include "sinks/common/media_name.h"
#include "sinks/wandb/notices.h"

#include <errno.h>
#include <unistd.h>

/* ---- writing ------------------------------------------------------------------------------------
 */

int swi_wandb_part_begin(struct wandb *w, const char *below, struct swi_wandb_part *part,
                         struct sw_error *err)
{
    const char *slash = strrchr(below, '/');
    int folders = slash ? (int)(slash - below) + 1 : 0;
    snprintf(part->path, sizeof part->path, "%s/%.*s.part-%u", w->folder, folders, below,
             w->parts++);
    return sw_sink_create(w->sink, part->path, &part->file, err);
}

/* Core would give a file that exists another name, because another process might have written it.
 * This folder has no other writer. */
int swi_wandb_part_end(struct wandb *w, struct swi_wandb_part *part, const char *below,
                       struct sw_error *err)
{
    char path[PATH_MAX + 1024];
    snprintf(path, sizeof path, "%s/%s", w->folder, below ? below : "");
    int rc = sw_sink_finish(w->sink, part->file, below ? NULL : "", err);
    if (rc == 0 && below && rename(part->path, path) < 0)
        rc = sw_error_set(err, SW_EIO, "%s: cannot be written: %s", path, strerror(errno));
    if (rc < 0 && below)
        unlink(part->path);
    return rc;
}

int swi_wandb_file_write(struct wandb *w, const char *below, const void *bytes, size_t size,
                         struct sw_error *err)
{
    struct swi_wandb_part part = {.file = NULL};
    SW_ERROR_SCOPE(ignored);
    int rc = swi_wandb_part_begin(w, below, &part, err);
    if (rc < 0)
        return rc;
    rc = sw_sink_write(w->sink, part.file, bytes, size, err);
    if (rc == 0)
        return swi_wandb_part_end(w, &part, below, err);
    swi_wandb_part_end(w, &part, NULL, &ignored);
    return rc;
}

/* ---- files of values ----------------------------------------------------------------------------
 */

void swi_wandb_media_missing(struct wandb *w, const char *name, const struct sw_error *err)
{
    struct swi_text safe = {0};
    if (!w->media_missing)
        swi_escape_terminal(&safe, name);
    if (!w->media_missing)
        swi_wandb_say(w, 1, "%.300s is not in the run: %s; more such values are only counted",
                      safe.data ? safe.data : "", sw_error_text(err));
    w->media_missing = true;
    sw_sink_lost(w->sink, 1);
    swi_text_free(&safe);
}

bool swi_wandb_media_put(struct wandb *w, struct swi_text *path, const char *kind, const char *key,
                         const char *extension, const void *bytes, size_t size, const char *sha256)
{
    SW_ERROR_SCOPE(err);
    size_t from = path->size;
    swi_text_format(path, "files/media/%s/", kind);
    swi_media_name(path, key, w->step, sha256, extension);
    int rc = path->failed ? sw_error_set(&err, SW_ENOMEM, "not enough memory for its path")
                          : swi_wandb_file_write(w, path->data + from, bytes, size, &err);
    if (rc < 0) {
        swi_wandb_media_missing(w, key, &err);
        path->size = from;
        return false;
    }
    size_t cut = sizeof "files/" - 1;
    memmove(path->data + from, path->data + from + cut, path->size - from - cut + 1);
    path->size -= cut;
    swi_records_file(&w->records, path->data + from, SWI_FILE_OF_VALUE);
    return true;
}
