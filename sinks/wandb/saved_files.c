/* SPDX-License-Identifier: MIT */
#include "sinks/wandb/saved_files.h"

#include "core/text/characters.h"
#include "sinks/common/copy_file.h"
#include "sinks/common/media_name.h"
#include "sinks/common/part_file.h"
#include "sinks/wandb/media_files.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

/* Copies a file to a path below the run's folder. */
static int copy(struct wandb *w, const struct sw_kept_file *file, const char *below, size_t *size,
                struct sw_error *err)
{
    struct swi_part part;
    struct swi_sha256 sha;
    int rc = swi_part_begin(&part, w->sink, w->folder, below, w->parts++, err);
    if (rc < 0)
        return rc;
    rc = swi_copy_file(w->sink, file, part.file, &sha, err);
    *size = (size_t)sha.size;
    return swi_part_close(&part, below, rc, err);
}

/* ---- files of the run ------------------------------------------------------------------------ */

/* Whether the run itself has a file or a folder of this name. */
static bool is_taken(const char *name)
{
    static const char *const own[] = {"config.yaml", "wandb-summary.json", "wandb-metadata.json",
                                      "output.log",  "requirements.txt",   "diff.patch",
                                      "media",       "artifact",           "code",
                                      "program"};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (strcmp(name, own[i]) == 0)
            return true;
    return false;
}

static int run_file(struct wandb *w, const struct sw_kept_file *file, struct sw_error *err)
{
    struct swi_text below = {0};
    size_t size, cut = sizeof "files/" - 1;
    swi_text_put(&below, is_taken(file->base) ? "files/program/" : "files/");
    swi_media_path(&below, file->base);
    int rc = below.failed ? sw_error_set(err, SW_ENOMEM, "not enough memory for its path")
                          : copy(w, file, below.data, &size, err);
    if (rc == 0)
        swi_records_file(&w->records, below.data + cut, SWI_FILE_OF_PROGRAM);
    swi_text_free(&below);
    return rc;
}

/* ---- artifacts ------------------------------------------------------------------------------- */

static int artifact_fill(struct swi_wandb_artifact *artifact, const struct sw_kept_file *file,
                         struct sw_error *err)
{
    int fd = open(artifact->local_path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    bool read = fd >= 0 && swi_md5_file(fd, artifact->md5);
    if (fd >= 0)
        close(fd);
    if (!read)
        return sw_error_set(err, SW_EIO, "the copy in the run's folder cannot be read");
    swi_wandb_artifact_name(artifact, file->name);
    return swi_wandb_artifact_end(artifact)
               ? 0
               : sw_error_set(err, SW_EIO, "there are no random numbers for its id");
}

/* A copy keeps a name of its own, because a later file of the same name is another version. */
static int artifact_copy(struct wandb *w, const struct sw_kept_file *file,
                         struct swi_wandb_artifact *artifact, char path[PATH_MAX + 1024],
                         struct sw_error *err)
{
    struct swi_text below = {0}, name = {0};
    swi_media_path(&name, file->base);
    swi_text_format(&below, "artifacts/%u-%s", w->artifacts++, name.data ? name.data : "");
    bool failed = below.failed || name.failed;
    snprintf(path, PATH_MAX + 1024, "%s/%s", w->folder, failed ? "" : below.data);
    snprintf(artifact->file, sizeof artifact->file, "%s", failed ? "" : name.data);
    int rc = failed ? sw_error_set(err, SW_ENOMEM, "not enough memory for its path")
                    : copy(w, file, below.data, &artifact->size, err);
    swi_text_free(&below);
    swi_text_free(&name);
    return rc;
}

/* The format has only UTF-8. NULL stays NULL. */
static char *repaired(const char *text)
{
    return text ? swi_utf8_repair(text, strlen(text)) : NULL;
}

static int artifact_save(struct wandb *w, const struct sw_kept_file *file, struct sw_error *err)
{
    char path[PATH_MAX + 1024];
    char *type = repaired(file->type), *description = repaired(file->description);
    struct swi_wandb_artifact artifact = {.run_id = w->id,
                                          .project = w->found_project,
                                          .entity = w->found_entity,
                                          .local_path = path,
                                          .type = type,
                                          .description = description,
                                          .aliases = file->aliases};
    int rc = artifact_copy(w, file, &artifact, path, err);
    if (rc == 0)
        rc = artifact_fill(&artifact, file, err);
    if (rc == 0)
        swi_records_artifact(&w->records, &artifact);
    free(type);
    free(description);
    return rc;
}

void swi_wandb_saved_file(struct wandb *w, const struct sw_kept_file *file)
{
    SW_ERROR_SCOPE(err);
    int rc = file->type ? artifact_save(w, file, &err) : run_file(w, file, &err);
    if (rc < 0)
        swi_wandb_media_missing(w, file->base, &err);
}
