/* SPDX-License-Identifier: MIT */
#include "sinks/wandb/media_files.h"

#include "core/text/escape.h"
#include "sinks/common/media_name.h"
#include "sinks/common/part_file.h"
#include "sinks/wandb/notices.h"

/* ---- writing --------------------------------------------------------------------------------- */

int swi_wandb_file_write(struct wandb *w, const char *below, const void *bytes, size_t size,
                         struct sw_error *err)
{
    struct swi_part part;
    int rc = swi_part_begin(&part, w->sink, w->folder, below, w->parts++, err);
    if (rc < 0)
        return rc;
    rc = sw_sink_write(w->sink, part.file, bytes, size, err);
    return swi_part_close(&part, below, rc, err);
}

/* ---- files of values ------------------------------------------------------------------------- */

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
