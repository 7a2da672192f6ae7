/* SPDX-License-Identifier: MIT */
/* wandb - a run of Weights & Biases: rows, summary, config, tables and system metrics, all written
 * to a file first. With an API key, a thread uploads the file as it grows (online.c). Nothing else
 * here uses a network. docs/wandb.md describes where each value goes. */
#include "sinks/wandb/wandb.h"
#include "core/clock/now.h"
#include "core/text/escape.h"
#include "sinks/wandb/account/service.h"
#include "sinks/wandb/fit_report.h"
#include "sinks/wandb/history.h"
#include "sinks/wandb/logged_values.h"
#include "sinks/wandb/metric_rules.h"
#include "sinks/wandb/notices.h"
#include "sinks/wandb/online.h"
#include "sinks/wandb/output_log.h"
#include "sinks/wandb/printed_lines.h"
#include "sinks/wandb/run_files.h"
#include "sinks/wandb/run_folder.h"
#include "sinks/wandb/system_metrics.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define TEXT_OPTION(field, text)                                                                   \
    .name = #field, .type = SW_OPTION_STRING, .offset = offsetof(struct wandb, field),             \
    .fallback = "", .help = text
#define TEXT(field, text)                                                                          \
    {                                                                                              \
        TEXT_OPTION(field, text)                                                                   \
    }
#define TEXT_OF_RANK(field, text)                                                                  \
    {                                                                                              \
        TEXT_OPTION(field, text), .placeholders = true                                             \
    }

static const struct sw_option options[] = {
    {.name = "mode",
     .type = SW_OPTION_CHOICE,
     .offset = offsetof(struct wandb, mode),
     .fallback = "environment",
     .choices = "environment|online|offline|disabled",
     .help =
         "online: upload while the run goes on; offline: write a file to upload later; disabled: "
         "do nothing; environment: as WANDB_MODE says, or online if there is an API key"},
    TEXT(
        project,
        "project (default: WANDB_PROJECT, wandb's settings files, or the git repository's folder)"),
    TEXT(entity,
         "user or team (default: WANDB_ENTITY, wandb's settings files, or the default of the key)"),
    TEXT_OF_RANK(run_id, "id of the run (default: WANDB_RUN_ID, or a random id)"),
    TEXT_OF_RANK(name,
                 "display name of the run (default: WANDB_NAME, the name in the configuration, or "
                 "one that the service makes up)"),
    TEXT(notes, "a longer description (default: WANDB_NOTES)"),
    TEXT_OF_RANK(group, "group of runs (default: WANDB_RUN_GROUP)"),
    TEXT(job_type, "kind of run, like train (default: WANDB_JOB_TYPE)"),
    {.name = "tags",
     .type = SW_OPTION_LIST,
     .offset = offsetof(struct wandb, tags),
     .help = "tags of the run (default: WANDB_TAGS, separated by commas)"},
    TEXT_OF_RANK(
        dir,
        "folder in which the folder wandb is created (default: WANDB_DIR, or the current folder)"),
    {.name = "ranks",
     .type = SW_OPTION_CHOICE,
     .offset = offsetof(struct wandb, ranks),
     .fallback = "first",
     .choices = "first|all",
     .help = "which processes of a distributed program make a run"},
    {.name = "resume",
     .type = SW_OPTION_CHOICE,
     .offset = offsetof(struct wandb, resume),
     .fallback = "environment",
     .choices = "environment|allow|must|never|auto",
     .help = "what to do if the run exists already; auto: continue the last run here that did not "
             "end well; environment: as WANDB_RESUME says"},
    TEXT(base_url, "address of the service (default: WANDB_BASE_URL, or wandb's settings files)"),
    {.name = "ca_file",
     .type = SW_OPTION_PATH,
     .offset = offsetof(struct wandb, ca_file),
     .help = "PEM file of the authority that signed the certificate of the service (default: "
             "SSL_CERT_FILE)"},
    {.name = "insecure",
     .type = SW_OPTION_BOOL,
     .offset = offsetof(struct wandb, insecure),
     .fallback = "false",
     .help = "accept any certificate: anyone between here and the service can read the API key"},
    {.name = "key_file",
     .type = SW_OPTION_PATH,
     .offset = offsetof(struct wandb, key_file),
     .help = "file with mode 600 that contains the API key (default: WANDB_API_KEY, netrc, or "
             "wandb's settings files)"},
    {.name = "interval",
     .type = SW_OPTION_DURATION,
     .offset = offsetof(struct wandb, interval_ns),
     .fallback = "15s",
     .min = 0.1,
     .max = 600,
     .help = "time between two uploads of rows"},
    {.name = "system",
     .type = SW_OPTION_BOOL,
     .offset = offsetof(struct wandb, system),
     .fallback = "true",
     .help = "record processor, memory, disk and network every 15 seconds"},
    {.name = "console",
     .type = SW_OPTION_CHOICE,
     .offset = offsetof(struct wandb, console_choice),
     .fallback = "auto",
     .choices = "auto|off",
     .help = "auto: what the program prints to a file, or under stepwatch run, is uploaded with "
             "the run; off: the run has no lines of output"},
    {.name = NULL},
};

/* ---- the file -----------------------------------------------------------------------------------
 */

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
static void log_flush(struct wandb *w)
{
    SW_ERROR_SCOPE(err);
    bool failed = w->failing;
    if (!failed)
        swi_wandb_summary_write(w);
    swi_wandb_row_draft(w);
    complain(w, swi_wandb_log_flush(&w->records.log, &err), &err);
    if (w->failing)
        swi_wandb_online_pass(w);
    if (failed && !w->failing)
        log_flush(w);
}

/* ---- open ---------------------------------------------------------------------------------------
 */

/* A wrong setting prevents the upload, but not the run. */
static const char file_only[] = "the run is only written to a file";

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

static void mode_find(struct wandb *w)
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

struct run_texts {
    char entity[SWI_WANDB_VALUE], project[SWI_WANDB_VALUE], group[SWI_WANDB_VALUE];
    char job_type[SWI_WANDB_VALUE], name[SWI_WANDB_VALUE], notes[SWI_WANDB_VALUE];
    char tags[SWI_WANDB_VALUE];
    const char *tag[SWI_WANDB_VALUE / 2 + 1];
};

/* In a sweep, the environment decides where the run belongs. An option is used only if the
 * environment does not set it. */
static const char *option_of(struct wandb *w, const char *option, const char *env, const char *name)
{
    const char *told = swi_wandb_env(env);
    if (!*w->sweep.id || !told || !*told || !option || !*option)
        return option;
    if (strcmp(option, told) != 0)
        swi_wandb_say(w, 0, "%s \"%s\" of the configuration is ignored in a sweep: %s says \"%s\"",
                      name, option, env, told);
    return NULL;
}

/* Leaves out wrong values. Returns false if the project is wrong. */
static bool texts_find(struct wandb *w, struct run_texts *t)
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
    if (swi_wandb_project_check(t->project, &err) == 0)
        return true;
    t->project[0] = '\0';
    swi_wandb_online_not(
        w, &err,
        "the run is only written to a file, without a project: name it with stepwatch "
        "sync --project NAME");
    return false;
}

/* Makes one run for each rank: ids that differ, and a common group. */
static void ranks_part(struct wandb *w, struct run_texts *t)
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

static void tags_split(struct run_texts *t)
{
    size_t count = 0;
    char *rest;
    for (char *tag = strtok_r(t->tags, ",", &rest); tag; tag = strtok_r(NULL, ",", &rest))
        t->tag[count++] = tag;
    t->tag[count] = NULL;
}

/* Returns the name of the run. If it has none, the service gives it a name that differs from the
 * program's other runs. */
static const char *name_of(const struct wandb *w, const struct run_texts *t)
{
    const struct sw_run *run = w->sink->run;
    if (*t->name)
        return t->name;
    return strcmp(run->name, run->program) == 0 ? "" : run->name;
}

/* The names of the program and the machine may be invalid UTF-8. */
static void begin_write(struct wandb *w, struct run_texts *t, const struct swi_wandb_environment *e)
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

/* Whether the monitor of this name measures what this sink would. An older core has no monitors. */
static bool has_monitor(const struct sw_run *run, const char *name)
{
    const char *const *monitor = SW_HAS(run->size, run, monitors) ? run->monitors : NULL;
    for (; monitor && *monitor; monitor++)
        if (strcmp(*monitor, name) == 0)
            return true;
    return false;
}

/* A replayed run was on another machine, so the metrics of this one do not belong to it. */
static void system_look(struct wandb *w, int64_t now_ns)
{
    if (w->system && !w->sink->run->replayed && !has_monitor(w->sink->run, "system"))
        swi_wandb_system_metrics(w, now_ns);
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

/* Returns whether each process makes a run. It also does if it is not certain which process is the
 * first. */
static bool each_rank(const struct wandb *w)
{
    return strcmp(w->ranks, "all") == 0 || !w->sink->run->rank_certain;
}

/* Returns whether another process makes the run. Rank 1 says so for all. */
static bool left_to_first(struct wandb *w)
{
    const struct sw_run *run = w->sink->run;
    if (each_rank(w) || run->rank == 0 || run->replayed)
        return false;
    if (run->rank == 1)
        swi_wandb_say(w, 0,
                      "rank 0 makes the run, the other ranks make none: write ranks: all for a run "
                      "for each of them");
    return true;
}

static int run_open(struct wandb *w, struct run_texts *t, struct swi_wandb_environment *e,
                    struct sw_error *err)
{
    sweep_find(w);
    bool project = texts_find(w, t);
    if (each_rank(w))
        ranks_part(w, t);
    tags_split(t);
    environment_find(w, e);
    if (!*t->project && project)
        swi_wandb_environment_project(e, t->project, sizeof t->project);
    int rc = swi_wandb_run_folder_make(w, err);
    if (rc < 0)
        return rc;
    begin_write(w, t, e);
    /* Flushed at once, because wandb sync fails at a file without a run and then skips all other
     * runs. If the disk is full now, it may have room at the next flush. */
    log_flush(w);
    memcpy(w->found_project, t->project, sizeof w->found_project);
    memcpy(w->found_entity, t->entity, sizeof w->found_entity);
    swi_wandb_run_files_begin(w, e);
    /* A run that ends before the first flush must have a sample too. */
    system_look(w, swi_now_ns());
    if (!w->quiet || !w->online)
        swi_wandb_say(w, 0, "%s %s in %s", w->online ? "run" : "offline run", w->id, w->folder);
    swi_wandb_printed_begin(w);
    swi_wandb_online_start(w);
    return 0;
}

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

/* Reads which messages are shown, and whether system metrics are measured. */
static void switches_find(struct wandb *w)
{
    w->silent = swi_wandb_flag("WANDB_SILENT", NULL, "silent") == 1;
    w->quiet = swi_wandb_flag("WANDB_QUIET", NULL, "quiet") == 1;
    w->console = console_find(w);
    if (swi_wandb_flag("WANDB_X_DISABLE_STATS", "WANDB__DISABLE_STATS", "x_disable_stats") == 1)
        w->system = false;
}

static int open_with(struct wandb *w, struct run_texts *t, struct swi_wandb_environment *e,
                     struct sw_error *err)
{
    if (!t || !e)
        return sw_error_set(err, SW_ENOMEM, "not enough memory for the settings");
    switches_find(w);
    w->off = left_to_first(w);
    if (!w->off)
        mode_find(w);
    if (w->off)
        return 0;
    return run_open(w, t, e, err);
}

static int wandb_open(void *state, struct sw_sink *sink, struct sw_error *err)
{
    struct wandb *w = state;
    w->sink = sink;
    w->written = -1;
    struct run_texts *t = calloc(1, sizeof *t);
    struct swi_wandb_environment *e = calloc(1, sizeof *e);
    swi_wandb_env_from(sink);
    int rc = open_with(w, t, e, err);
    swi_wandb_env_from(NULL);
    if (w->off)
        sw_sink_want(sink, 0);
    if (w->off || rc < 0) {
        swi_wandb_online_free(w);
        swi_text_free(&w->unsaid);
        swi_wandb_sweep_free(&w->sweep);
    }
    free(t);
    free(e);
    return rc;
}

/* ---- records ------------------------------------------------------------------------------------
 */

static void config_take(struct wandb *w, const struct sw_hparam *config)
{
    struct swi_fields row = {0};
    struct swi_text *json = swi_fields_set(&row, config->name);
    if (json && config->type == SW_HPARAM_INT)
        swi_text_format(json, "%" PRId64, config->integer);
    else if (json && config->type == SW_HPARAM_FLOAT)
        swi_json_number(json, config->number);
    else if (json)
        swi_escape_json(json, config->string);
    bool differs = false;
    if (json && swi_wandb_sweep_has(&w->sweep, row.item[0].key, json, &differs)) {
        if (differs)
            swi_wandb_say(w, 0, "%s is set by the sweep", row.item[0].key);
    } else {
        swi_records_config(&w->records, &row);
        swi_fields_merge(&w->config, &row);
    }
    swi_fields_free(&row);
}

/* A run without rows has a summary too, because it has a duration. */
static void summary_end(struct wandb *w)
{
    swi_fields_set(&w->fresh, "_wandb");
    swi_fields_merge(&w->fresh, &w->kept.own);
    swi_wandb_summary_write(w);
    swi_fields_merge(&w->summary, &w->fresh);
}

static void end_write(struct wandb *w, const struct sw_end *end)
{
    int code = end->exit_status ? end->exit_status : end->signal ? 128 + end->signal : 0;
    w->exit_code = code;
    w->end_ns = swi_now_ns();
    swi_wandb_row_end(w);
    summary_end(w);
    swi_wandb_printed_end(w);
    int64_t elsewhere = w->records.lost + w->records.aside;
    swi_records_exit(&w->records, code, (int64_t)w->last_s);
    w->end_written = elsewhere == w->records.lost + w->records.aside;
    swi_wandb_run_files_end(w);
    w->ended = true;
}

/* It must not wait for the flush of the next second: the loop may stand still. */
static void alert_take(struct wandb *w, const struct sw_alert *alert)
{
    static const char *const names[] = {"INFO", "WARN", "ERROR"};
    int level = alert->level < 0 ? 0 : alert->level > 2 ? 2 : alert->level;
    swi_records_alert(&w->records, alert->title, alert->text, names[level],
                      alert->wait_ns / 1000000);
    if (!w->failing)
        log_flush(w);
    swi_wandb_online_flush(w);
}

static void sample_write(struct wandb *w, const struct sw_record *record)
{
    struct swi_fields row = {0};
    swi_wandb_monitored_row(&row, &w->totals, record, swi_wandb_cpus());
    if (w->system && row.count)
        swi_records_stats(&w->records, &row, record->wall_s);
    swi_fields_free(&row);
}

/* Takes what is neither a report nor a sample. */
static void record_take(struct wandb *w, const struct sw_record *record)
{
    /* The run time of a row is that of its newest value. */
    if (record->type == SW_RECORD_METRICS)
        swi_wandb_metrics(w, record);
    if (record->type == SW_RECORD_VALUE)
        swi_wandb_value(w, record);
    w->last_s = (double)record->time_ns * 1e-9;
    if (record->type == SW_RECORD_HPARAM)
        config_take(w, record->hparam);
    if (record->type == SW_RECORD_RULE)
        swi_wandb_rule(w, record->rule);
    if (record->type == SW_RECORD_SUMMARY)
        swi_wandb_summary_own(w, record->summary);
    if (record->type == SW_RECORD_LINE && w->console)
        swi_wandb_line(w, record);
    if (record->type == SW_RECORD_ALERT)
        alert_take(w, record->alert);
    if (record->type == SW_RECORD_END)
        end_write(w, record->end);
}

static int wandb_record(void *state, const struct sw_record *record, struct sw_error *err)
{
    struct wandb *w = state;
    if (w->off)
        return 0;
    if (swi_wandb_is_sample(record)) {
        sample_write(w, record);
        return 0;
    }
    record_take(w, record);
    int rc = record->type == SW_RECORD_REPORT  ? swi_wandb_fit_report(w, record, err)
             : record->type == SW_RECORD_RANKS ? swi_wandb_ranks_report(w, record, err)
                                               : 0;
    /* If the disk is full, it is tried again with the flush of each second. */
    if (w->records.log.size >= SWI_LOG_ENOUGH && !w->failing)
        log_flush(w);
    return rc;
}

/* ---- flush and close ----------------------------------------------------------------------------
 */

static void lost_tell(struct wandb *w)
{
    if (w->records.lost > w->lost)
        sw_sink_lost(w->sink, w->records.lost - w->lost);
    w->lost = w->records.lost;
}

static int wandb_flush(void *state, struct sw_error *err)
{
    struct wandb *w = state;
    int64_t now = swi_now_ns();
    (void)err;
    if (w->off || w->ended)
        return 0;
    system_look(w, now);
    swi_wandb_printed_look(w);
    swi_wandb_output_flush(w);
    log_flush(w);
    swi_wandb_online_flush(w);
    swi_wandb_say_flush(w);
    lost_tell(w);
    return 0;
}

static void run_free(struct wandb *w)
{
    swi_records_free(&w->records);
    swi_fields_free(&w->row);
    swi_fields_free(&w->summary);
    swi_fields_free(&w->fresh);
    swi_fields_free(&w->config);
    swi_fields_free(&w->drafted);
    swi_fields_free(&w->axes);
    swi_kept_fini(&w->kept);
    swi_text_free(&w->output);
    swi_wandb_printed_free(&w->printed);
    swi_text_free(&w->unsaid);
    swi_wandb_sweep_free(&w->sweep);
    swi_wandb_totals_free(&w->totals);
}

static int wandb_close(void *state, struct sw_error *err)
{
    struct wandb *w = state;
    if (w->off)
        return 0;
    swi_wandb_row_end(w);
    swi_wandb_output_flush(w);
    log_flush(w);
    bool passed = w->failing && swi_wandb_online_pass(w);
    int rc = swi_wandb_log_close(&w->records.log, err);
    *(passed ? &w->records.aside : &w->records.lost) += w->records.log.records;
    lost_tell(w);
    if (rc < 0)
        sw_error_prefix(err, "%s", w->folder);
    else if (w->end_written)
        swi_wandb_printed_done(w);
    if (!swi_wandb_online_close(w, rc == 0) && !w->quiet)
        swi_wandb_say(w, 0, "upload %s with: stepwatch sync %s (or wandb sync)",
                      rc < 0 ? "what exists of the run" : "the run", w->folder);
    swi_wandb_say_flush(w);
    run_free(w);
    return rc;
}

/* ---- before it is opened
 * -------------------------------------------------------------------------
 */

static void file_check(struct sw_sink_check *check, const char *option, const char *path)
{
    char absolute[PATH_MAX];
    if (!path)
        return;
    bool whole = *path == '/';
    int n = snprintf(absolute, sizeof absolute, "%s%s%s", whole ? "" : check->directory,
                     whole ? "" : "/", path);
    if (n < (int)sizeof absolute && access(absolute, R_OK) < 0)
        sw_sink_remark(check, option, "%s cannot be read: %s", path, strerror(errno));
}

/* Only remarks, because a wrong setting prevents the upload, but not the run. */
static void wandb_check(const void *state, struct sw_sink_check *check)
{
    const struct wandb *w = state;
    SW_ERROR_SCOPE(err);
    if (strcmp(w->mode, "disabled") == 0 || strcmp(w->mode, "offline") == 0)
        return;
    if (w->base_url && *w->base_url && swi_wandb_address_check(w->base_url, &err) < 0)
        sw_sink_remark(check, "base_url", "%s", sw_error_text(&err));
    file_check(check, "ca_file", w->ca_file);
    file_check(check, "key_file", w->key_file);
}

const struct sw_sink_plugin SW_SINK_SYMBOL = {
    SW_SINK_HEADER,
    .name = "wandb",
    .version = "1.0",
    .license = "MIT",
    .summary = "a run of Weights & Biases, uploaded while it is running or later",
    .wants = SW_WANT(SW_RECORD_HPARAM) | SW_WANT(SW_RECORD_METRICS) | SW_WANT(SW_RECORD_REPORT) |
             SW_WANT(SW_RECORD_RANKS) | SW_WANT(SW_RECORD_ALERT) | SW_WANT(SW_RECORD_FINDINGS) |
             SW_WANT(SW_RECORD_END) | SW_WANT(SW_RECORD_MONITOR) | SW_WANT(SW_RECORD_VALUE) |
             SW_WANT(SW_RECORD_RULE) | SW_WANT(SW_RECORD_SUMMARY) | SW_WANT(SW_RECORD_LINE),
    .queue = SW_QUEUE_DROP_NEWEST,
    .queue_records = 16384,
    .options = options,
    .state_size = sizeof(struct wandb),
    .open = wandb_open,
    .record = wandb_record,
    .flush = wandb_flush,
    .close = wandb_close,
    .check = wandb_check,
};
