/* SPDX-License-Identifier: MIT */
/* run_open.c - the beginning of a run: its folder, and the first records of its file, which are
 * flushed. */
#include "core/files/in_place.h"
#include "core/text/escape.h"
#include "core/text/io_code.h"
#include "sinks/common/file_names.h"
#include "sinks/common/part_file.h"
#include "sinks/wandb/values/artifact.h"
#include "sinks/wandb/wandb_sink.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- flushing -------------------------------------------------------------------------------- */

/* Reports a failure once, and its end once. It is not an error of the sink, which would be given up
 * after ten: the disk may have room again later. */
static void complain(struct wandb *w, int rc, const struct sw_error *err)
{
    if (rc < 0 && !w->failing)
        swi_wandb_say(w, 1, "%s: %s", w->folder, sw_error_text(err));
    if (rc == 0 && w->failing)
        swi_wandb_say(w, 0, "%s: the run's file can be written again", w->folder);
    w->failing = rc < 0;
}

/* If the disk is full, no new summary is added at each try, because the summaries would fill the
 * buffer. */
void swi_wandb_run_flush(struct wandb *w)
{
    SW_ERROR_SCOPE(err);
    bool failed = w->failing;
    if (!failed)
        swi_wandb_summary_write(w);
    swi_wandb_row_draft(w);
    complain(w, swi_wandb_log_flush(&w->records.log, &err), &err);
    if (w->failing)
        swi_wandb_online_pass(w);
    if ((failed && !w->failing) || swi_wandb_rotate(w))
        swi_wandb_run_flush(w);
}

/* ---- its folder ------------------------------------------------------------------------------ */

/* An invalid id prevents the upload, but not the run. */
static int id_find(struct wandb *w, struct sw_error *err)
{
    if (*w->id && swi_wandb_run_id_check(w->id, err) == 0)
        return 0;
    if (*w->id)
        swi_wandb_online_not(w, err, "the run is only written to a file, under another id");
    w->id_made = swi_random_letters(w->id, 8);
    return w->id_made
               ? 0
               : sw_error_set(err, SW_EIO, "cannot make a random run id: %s", strerror(errno));
}

/* Simplifies the path, because people read and type it. */
static void dots_remove(char *path)
{
    for (char *at; (at = strstr(path, "/./"));)
        memmove(at, at + 2, strlen(at + 2) + 1);
}

/* Option dir is relative to the configuration's folder. WANDB_DIR, or no setting at all, is
 * relative to the current one. */
static int root_find(struct wandb *w, struct sw_error *err)
{
    char path[PATH_MAX], parent[PATH_MAX] = "", env[PATH_MAX];
    int rc = swi_wandb_env_path("WANDB_DIR", env, sizeof env, err);
    const char *dir = w->dir ? w->dir : env;
    if (rc < 0 && !w->dir)
        return rc;
    sw_error_free(err);
    if (!w->dir && *dir != '/' && !getcwd(parent, sizeof parent))
        return sw_error_set(err, SW_EIO, "the current directory has no name: %s", strerror(errno));
    int size = snprintf(path, sizeof path, "%s%s%s%swandb", parent, *parent ? "/" : "", dir,
                        *dir ? "/" : "");
    if (size < 0 || (size_t)size >= sizeof path)
        return sw_error_set(err, SW_EINVAL, "the path of wandb's folder is too long");
    /* The last part is resolved too: it may be a link that another user made. */
    rc = sw_sink_resolve(w->sink, path, w->root, sizeof w->root - 512, err);
    if (rc == 0)
        dots_remove(w->root);
    return rc;
}

static int folder_make(const char *path, struct sw_error *err)
{
    if (mkdir(path, 0777) == 0)
        return 0;
    if (errno == EEXIST)
        return sw_error_set(err, SW_EIO,
                            "%s exists already: two runs with the same id began in the same "
                            "second; give them different ids",
                            path);
    return sw_error_set(err, swi_io_code(errno), "%s: cannot be created: %s", path,
                        strerror(errno));
}

/* Makes the link under another name and renames it, so that there is always one, unless the file
 * system cannot rename. Does not replace a file that is not a link. */
static void latest_set(const struct wandb *w)
{
    char link[PATH_MAX + 16], temporary[PATH_MAX + 64];
    struct stat status;
    snprintf(link, sizeof link, "%s/latest-run", w->root);
    snprintf(temporary, sizeof temporary, "%s/.latest-run-%d-new", w->root, (int)getpid());
    if (lstat(link, &status) == 0 && !S_ISLNK(status.st_mode))
        return;
    const char *target = strrchr(w->folder, '/') + 1;
    if (symlink(target, temporary) != 0 || rename(temporary, link) == 0)
        return;
    bool other_way = swi_stays_in_place(errno);
    unlink(temporary);
    if (other_way && (unlink(link) == 0 || errno == ENOENT) && symlink(target, link) != 0)
        return;
}

/* wandb sync takes only folders that begin with offline-run-. A run that may be partly at the
 * service must not be taken: its rows would be stored twice. */
static int folder_name(struct wandb *w, struct sw_error *err)
{
    char date[32];
    if (!swi_start_time(w->sink->run, "%Y%m%d_%H%M%S", date, sizeof date))
        return sw_error_set(err, SW_EINVAL, "the start of the run is not a valid date");
    int size = snprintf(w->folder, sizeof w->folder, "%s/%s-%s-%s", w->root,
                        w->online ? "run" : "offline-run", date, w->id);
    if (size < 0 || (size_t)size >= sizeof w->folder - 256)
        return sw_error_set(err, SW_EINVAL, "the path of the run's folder is too long");
    return 0;
}

/* Where the program runs under `stepwatch run`, the command looks there for the run of a program
 * that was killed. */
static int folder_report(struct wandb *w, struct sw_error *err)
{
    char path[PATH_MAX];
    return sw_sink_resolve(w->sink, w->folder, path, sizeof path, err);
}

/* Makes the run's folder with its file. Leaves nothing on failure: the sink may be opened again. */
static int content_make(struct wandb *w, struct sw_error *err)
{
    char path[2 * PATH_MAX];
    int rc = folder_make(w->folder, err);
    if (rc < 0)
        return rc;
    /* Without this folder, wandb sync silently uploads no file. */
    snprintf(path, sizeof path, "%s/files", w->folder);
    rc = folder_make(path, err);
    snprintf(path, sizeof path, "%s/run-%s.wandb", w->folder, w->id);
    if (rc == 0)
        rc = swi_wandb_log_open(&w->records.log, path, err);
    if (rc < 0) {
        snprintf(path, sizeof path, "%s/files", w->folder);
        rmdir(path);
        rmdir(w->folder);
    }
    return rc;
}

/* Creates the run's folder, DIR/wandb/offline-run-TIME-ID/, and its .wandb file. */
static int run_folder_make(struct wandb *w, struct sw_error *err)
{
    int rc = root_find(w, err);
    if (rc < 0)
        return rc;
    swi_wandb_online_resume(w);
    if ((rc = id_find(w, err)) < 0 || (rc = folder_name(w, err)) < 0)
        return rc;
    if ((rc = swi_parent_folders_make(w->folder, err)) < 0 || (rc = content_make(w, err)) < 0)
        return rc;
    latest_set(w);
    return folder_report(w, err);
}

/* ---- the run --------------------------------------------------------------------------------- */

/* Returns the name of the run. If it has none, the service gives it a name that differs from the
 * program's other runs. */
static const char *name_of(struct wandb *w, const struct swi_wandb_texts *t)
{
    const struct sw_run *run = w->sink->run;
    SW_ERROR_SCOPE(err);
    if (*t->name)
        return t->name;
    if (strcmp(run->name, run->program) == 0)
        return "";
    if (swi_wandb_label_check(run->name, &err) == 0)
        return run->name;
    swi_wandb_say(w, 1, "the name of the configuration is left out: it %s", sw_error_text(&err));
    return "";
}

/* The names of the program and the machine may be invalid UTF-8. */
static void begin_write(struct wandb *w, struct swi_wandb_texts *t,
                        const struct swi_wandb_environment *e, struct swi_text *metadata)
{
    SWI_FREED struct swi_text name = {0};
    swi_escape_terminal(&name, name_of(w, t));
    snprintf(w->producer, sizeof w->producer, "stepwatch %.40s", w->sink->run->version);
    swi_records_header(&w->records, w->producer);
    swi_records_run(&w->records,
                    (struct swi_run_message){.run_id = w->id,
                                             .entity = t->entity,
                                             .project = t->project,
                                             .run_group = t->group,
                                             .job_type = t->job_type,
                                             .display_name = name.data,
                                             .notes = t->notes,
                                             .sweep_id = w->sweep.id,
                                             .host = e->host,
                                             .tags = w->tags ? w->tags : t->tag},
                    w->producer, e->started_s, &e->git);
    swi_records_environment(&w->records, e, metadata);
    swi_wandb_rules_begin(w);
    if (w->sweep.value.count)
        swi_records_config(&w->records, &w->sweep.value);
    swi_fields_merge(&w->config, &w->sweep.value);
}

/* A replayed run was also in another folder. */
static void environment_find(struct wandb *w, struct swi_wandb_environment *e)
{
    const struct sw_run *run = w->sink->run;
    const struct swi_wandb_about about = {.program = run->program,
                                          .host = run->host,
                                          .started_s = run->started_s,
                                          .elsewhere = run->replayed};
    swi_wandb_environment_find(e, &about);
}

/* A replayed run does not belong to the sweep of this process. */
static void sweep_find(struct wandb *w)
{
    SW_ERROR_SCOPE(err);
    if (!w->sink->run->replayed && swi_wandb_sweep_find(&w->sweep, &err) < 0)
        swi_wandb_say(w, 1, "%s; %s", sw_error_text(&err),
                      *w->sweep.id ? "the run uses none of the sweep's values"
                                   : "the run is not part of a sweep");
}

/* Returns whether another process makes the run. Rank 1 says so for all. */
static bool left_to_first(struct wandb *w)
{
    const struct sw_run *run = w->sink->run;
    if (swi_wandb_each_rank(w) || run->rank == 0 || run->replayed)
        return false;
    if (run->rank == 1)
        swi_wandb_say(w, 0,
                      "rank 0 makes the run, the other ranks make none: write ranks: all for a run "
                      "for each of them");
    return true;
}

static int run_open(struct wandb *w, struct swi_wandb_texts *t, struct swi_wandb_environment *e,
                    struct sw_error *err)
{
    sweep_find(w);
    struct swi_text metadata = {0};
    bool project = swi_wandb_texts_find(w, t);
    environment_find(w, e);
    if (!*t->project && project)
        swi_wandb_environment_project(e, t->project, sizeof t->project);
    int rc = run_folder_make(w, err);
    if (rc < 0)
        return rc;
    begin_write(w, t, e, &metadata);
    /* Flushed at once, because wandb sync fails at a file without a run and then skips all other
     * runs. If the disk is full now, it may have room at the next flush. */
    swi_wandb_run_flush(w);
    memcpy(w->found_project, t->project, sizeof w->found_project);
    memcpy(w->found_entity, t->entity, sizeof w->found_entity);
    swi_wandb_run_files_begin(w, &metadata);
    /* A run that ends before the first flush must have a sample too. */
    swi_wandb_sample_look(w);
    if (!w->quiet || !w->online)
        swi_wandb_say(w, 0, "%s %s in %s", w->online ? "run" : "offline run", w->id, w->folder);
    swi_wandb_printed_begin(w);
    swi_wandb_online_start(w);
    return 0;
}

static int open_with(struct wandb *w, struct swi_wandb_texts *t, struct swi_wandb_environment *e,
                     struct sw_error *err)
{
    if (!t || !e)
        return sw_error_set(err, SW_ENOMEM, "not enough memory for the settings");
    swi_wandb_switches_find(w);
    w->off = left_to_first(w);
    if (!w->off)
        swi_wandb_mode_find(w);
    if (w->off)
        return 0;
    return run_open(w, t, e, err);
}

int swi_wandb_run_open(struct wandb *w, struct sw_error *err)
{
    struct swi_wandb_texts *t = calloc(1, sizeof *t);
    struct swi_wandb_environment *e = calloc(1, sizeof *e);
    int rc = open_with(w, t, e, err);
    free(t);
    free(e);
    return rc;
}
