/* SPDX-License-Identifier: MIT */
#include "sinks/wandb/run_open.h"

#include "core/clock/now.h"
#include "core/text/escape.h"
#include "sinks/wandb/metric_rules.h"
#include "sinks/wandb/notices.h"
#include "sinks/wandb/online.h"
#include "sinks/wandb/printed_lines.h"
#include "sinks/wandb/run_files.h"
#include "sinks/wandb/run_flush.h"
#include "sinks/wandb/run_folder.h"
#include "sinks/wandb/run_settings.h"
#include "sinks/wandb/system_metrics.h"

#include <stdlib.h>
#include <string.h>

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
                        const struct swi_wandb_environment *e)
{
    struct swi_text name = {0};
    swi_escape_terminal(&name, name_of(w, t));
    snprintf(w->producer, sizeof w->producer, "stepwatch %.40s", w->sink->run->version);
    const struct swi_wandb_run run = {.id = w->id,
                                      .entity = t->entity,
                                      .project = t->project,
                                      .group = t->group,
                                      .job_type = t->job_type,
                                      .name = name.data,
                                      .notes = t->notes,
                                      .sweep = w->sweep.id,
                                      .host = e->host,
                                      .producer = w->producer,
                                      .tags = w->tags ? w->tags : t->tag,
                                      .started_s = e->started_s,
                                      .git = &e->git};
    swi_records_header(&w->records, w->producer);
    swi_records_run(&w->records, &run);
    swi_records_environment(&w->records, e);
    swi_wandb_rules_begin(w);
    if (w->sweep.value.count)
        swi_records_config(&w->records, &w->sweep.value);
    swi_fields_merge(&w->config, &w->sweep.value);
    swi_text_free(&name);
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
    bool project = swi_wandb_texts_find(w, t);
    environment_find(w, e);
    if (!*t->project && project)
        swi_wandb_environment_project(e, t->project, sizeof t->project);
    int rc = swi_wandb_run_folder_make(w, err);
    if (rc < 0)
        return rc;
    begin_write(w, t, e);
    /* Flushed at once, because wandb sync fails at a file without a run and then skips all other
     * runs. If the disk is full now, it may have room at the next flush. */
    swi_wandb_run_flush(w);
    memcpy(w->found_project, t->project, sizeof w->found_project);
    memcpy(w->found_entity, t->entity, sizeof w->found_entity);
    swi_wandb_run_files_begin(w, e);
    /* A run that ends before the first flush must have a sample too. */
    swi_wandb_system_look(w, swi_now_ns());
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
