/* SPDX-License-Identifier: MIT */
/* run_settings.c - what options, environment and wandb's settings files say of a run. A wrong
 * setting prevents the upload, but not the run. */
#include "core/text/address_user.h"
#include "sinks/wandb/wandb_sink.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char file_only[] = "the run is only written to a file";

/* ---- switches -------------------------------------------------------------------------------- */

static bool console_find(struct wandb *w)
{
    static const char *const kept[] = {"", "auto", "wrap", "wrap_raw", "wrap_emu", "redirect"};
    char console[SWI_WANDB_VALUE];
    SW_ERROR_SCOPE(err);
    if (strcmp(w->console_choice, "off") == 0 ||
        swi_wandb_setting(NULL, "WANDB_CONSOLE", "console", console, &err) < 0 ||
        strcmp(console, "off") == 0)
        return false;
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
        if (strcmp(console, kept[i]) == 0)
            return true;
    swi_wandb_say(w, 1,
                  "WANDB_CONSOLE \"%s\": expected off, auto, wrap or redirect; the report is "
                  "among the run's lines of output, as with auto",
                  console);
    return true;
}

void swi_wandb_switches_find(struct wandb *w)
{
    w->silent = swi_wandb_flag("WANDB_SILENT", NULL, "silent") == 1;
    w->quiet = swi_wandb_flag("WANDB_QUIET", NULL, "quiet") == 1;
    w->console = console_find(w);
    if (swi_wandb_flag("WANDB_X_DISABLE_STATS", "WANDB__DISABLE_STATS", "x_disable_stats") == 1)
        w->system = false;
}

/* ---- mode ------------------------------------------------------------------------------------ */

static bool is_any(const char *word, const char *a, const char *b)
{
    return strcmp(word, a) == 0 || strcmp(word, b) == 0;
}

static int mode_wrong(const char *mode, struct sw_error *err)
{
    if (strcmp(mode, "shared") == 0)
        return sw_error_set(
            err, SW_EINVAL,
            "mode \"shared\" (WANDB_MODE, or mode in a settings file of wandb) is not supported, "
            "because a run has one writer here; with mode online, rank 0 makes the run (ranks: "
            "first), or each rank makes its own run in a group (ranks: all)");
    return sw_error_set(err, SW_EINVAL,
                        "mode \"%s\" (WANDB_MODE, or mode in a settings file of wandb): expected "
                        "online, offline or disabled",
                        mode);
}

void swi_wandb_mode_find(struct wandb *w)
{
    char mode[SWI_WANDB_VALUE];
    SW_ERROR_SCOPE(err);
    bool said = strcmp(w->mode, "environment") != 0;
    int rc = swi_wandb_setting(said ? w->mode : NULL, "WANDB_MODE", "mode", mode, &err);
    w->off = rc == 0 && strcmp(mode, "disabled") == 0;
    w->online_asked = rc == 0 && is_any(mode, "online", "run");
    if (rc == 0 && (!*mode || w->online_asked))
        rc = swi_wandb_online_decide(w, &err);
    else if (rc == 0 && !w->off && !is_any(mode, "offline", "dryrun"))
        rc = mode_wrong(mode, &err);
    if (rc < 0)
        swi_wandb_online_not(w, &err, file_only);
}

/* ---- texts ----------------------------------------------------------------------------------- */

/* In a sweep, the environment decides where the run belongs. An option is used only if the
 * environment does not set it. */
static const char *option_of(struct wandb *w, const char *option, const char *env, const char *name)
{
    const char *from_env = swi_wandb_env(env);
    if (!*w->sweep.id || !from_env || !*from_env || !option || !*option)
        return option;
    if (strcmp(option, from_env) != 0)
        swi_wandb_say(w, 0, "%s \"%s\" of the configuration is ignored in a sweep: %s says \"%s\"",
                      name, option, env, from_env);
    return NULL;
}

/* Leaves out what the service would refuse together with the run. It is from the environment or a
 * settings file: options were checked before. */
static void label_keep(struct wandb *w, const char *name, char *value)
{
    SW_ERROR_SCOPE(err);
    if (swi_wandb_label_check(value, &err) == 0)
        return;
    swi_wandb_say(w, 1, "the %s of the environment is left out: it %s", name, sw_error_text(&err));
    value[0] = '\0';
}

/* Leaves out wrong values. Returns false if the project is wrong. */
static bool settings_find(struct wandb *w, struct swi_wandb_texts *t)
{
    SW_ERROR_SCOPE(err);
    const struct {
        const char *option, *env, *also, *name;
        char *value;
    } all[] = {
        {option_of(w, w->entity, "WANDB_ENTITY", "entity"), "WANDB_ENTITY", NULL, "entity",
         t->entity},
        {option_of(w, w->project, "WANDB_PROJECT", "project"), "WANDB_PROJECT", NULL, "project",
         t->project},
        {option_of(w, w->run_id, "WANDB_RUN_ID", "run_id"), "WANDB_RUN_ID", NULL, "run_id", w->id},
        {w->group, "WANDB_RUN_GROUP", NULL, "run_group", t->group},
        {w->job_type, "WANDB_JOB_TYPE", "WANDB_RUN_JOB_TYPE", "run_job_type", t->job_type},
        {w->name, "WANDB_NAME", "WANDB_RUN_NAME", "run_name", t->name},
        {w->notes, "WANDB_NOTES", "WANDB_RUN_NOTES", "run_notes", t->notes},
        {NULL, "WANDB_TAGS", "WANDB_RUN_TAGS", "run_tags", t->tags}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (swi_wandb_setting(all[i].option, swi_wandb_either(all[i].env, all[i].also), all[i].name,
                              all[i].value, &err) < 0)
            swi_wandb_online_not(w, &err, file_only);
        else
            swi_address_clean(all[i].value);
    label_keep(w, "group", t->group);
    label_keep(w, "job_type", t->job_type);
    label_keep(w, "name", t->name);
    if (swi_wandb_project_check(t->project, &err) == 0)
        return true;
    t->project[0] = '\0';
    swi_wandb_online_not(
        w, &err,
        "the run is only written to a file, without a project: name it with stepwatch "
        "sync --project NAME");
    return false;
}

bool swi_wandb_each_rank(const struct wandb *w)
{
    return strcmp(w->ranks, "all") == 0 || !w->sink->run->rank_certain;
}

/* Makes one run for each rank: ids that differ, and a common group. */
static void ranks_part(struct wandb *w, struct swi_wandb_texts *t)
{
    size_t size = strlen(w->id);
    const char *job = w->sink->run->job;
    int64_t rank = w->sink->run->rank;
    bool certain = w->sink->run->rank_certain;
    if (*w->id && certain)
        snprintf(w->id + size, sizeof w->id - size, "-%" PRId64, rank);
    else if (*w->id)
        snprintf(w->id + size, sizeof w->id - size, "-%" PRId64 "-%" PRId64, rank,
                 w->sink->run->pid);
    if (!*t->job_type)
        snprintf(t->job_type, sizeof t->job_type, "rank%" PRId64, rank);
    if (!*t->group && *job)
        snprintf(t->group, sizeof t->group, "%s", job);
    else if (!*t->group && certain)
        swi_wandb_say(
            w, 1,
            "ranks: all, but the launcher names no job, so stepwatch cannot tell which runs belong "
            "together: set group or WANDB_RUN_GROUP to the same text on all ranks");
}

static void tags_split(struct wandb *w, struct swi_wandb_texts *t)
{
    size_t count = 0;
    char *rest;
    for (char *tag = strtok_r(t->tags, ",", &rest); tag; tag = strtok_r(NULL, ",", &rest)) {
        SW_ERROR_SCOPE(err);
        if (swi_wandb_tag_check(tag, &err) == 0)
            t->tag[count++] = tag;
        else if (!w->tags)
            swi_wandb_say(w, 1, "a tag of the environment is left out: %s", sw_error_text(&err));
    }
    t->tag[count] = NULL;
}

bool swi_wandb_texts_find(struct wandb *w, struct swi_wandb_texts *t)
{
    bool found = settings_find(w, t);
    if (swi_wandb_each_rank(w))
        ranks_part(w, t);
    for (size_t i = 0; w->tags && w->tags[i]; i++)
        swi_address_clean((char *)(uintptr_t)w->tags[i]);
    tags_split(w, t);
    return found;
}
