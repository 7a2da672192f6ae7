/* SPDX-License-Identifier: MIT */
/* wandb - a run of Weights & Biases: rows, summary, config, tables and system metrics, all written
 * to a file first. With an API key, a thread uploads the file as it grows (online.c). Nothing else
 * here uses a network. docs/wandb.md describes where each value goes. */
#include "sinks/wandb/wandb_sink.h"
#include "core/clock/now.h"
#include "core/text/escape.h"
#include "sinks/common/option_rows.h"
#include "sinks/common/value_table.h"
#include "sinks/wandb/account/service.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#define TEXT(field, text) SWI_OPTION(STRING, struct wandb, field, text, .fallback = "")
#define TEXT_OF_RANK(field, text)                                                                  \
    SWI_OPTION(STRING, struct wandb, field, text, .fallback = "", .placeholders = true)

static const struct sw_option options[] = {
    SWI_OPTION(CHOICE, struct wandb, mode,
               "online: upload while the run goes on; offline: write a file to upload later; "
               "disabled: do nothing; environment: the mode in WANDB_MODE or wandb's settings "
               "files; without one, online if there is an API key, otherwise offline",
               .fallback = "environment", .choices = "environment|online|offline|disabled"),
    TEXT(
        project,
        "project (default: WANDB_PROJECT, wandb's settings files, or the git repository's folder)"),
    TEXT(entity, "user or team (default: WANDB_ENTITY, wandb's settings files, or the default "
                 "entity of the API key)"),
    TEXT_OF_RANK(run_id, "id of the run (default: WANDB_RUN_ID, or a random id)"),
    TEXT_OF_RANK(name,
                 "display name of the run (default: WANDB_NAME, the name in the configuration, or "
                 "one that the service makes up)"),
    TEXT(notes, "a longer description (default: WANDB_NOTES)"),
    TEXT_OF_RANK(group, "group of runs (default: WANDB_RUN_GROUP)"),
    TEXT(job_type, "kind of run, such as train (default: WANDB_JOB_TYPE)"),
    SWI_OPTION(LIST, struct wandb, tags,
               "tags of the run (default: WANDB_TAGS, separated by commas)"),
    SWI_OPTION(
        PATH, struct wandb, dir,
        "folder in which the folder wandb is created (default: WANDB_DIR, or the current folder)"),
    SWI_OPTION(CHOICE, struct wandb, ranks, "which processes of a distributed program create a run",
               .fallback = "first", .choices = "first|all"),
    SWI_OPTION(CHOICE, struct wandb, resume,
               "what to do if the run already exists. allow: resume it; must: resume it, and fail "
               "if it does not exist; never: fail; auto: resume the last run in this folder if it "
               "did not end well; environment: the value of WANDB_RESUME",
               .fallback = "environment", .choices = "environment|allow|must|never|auto"),
    TEXT(base_url, "address of the service (default: WANDB_BASE_URL, or wandb's settings files)"),
    SWI_OPTION(PATH, struct wandb, ca_file,
               "PEM file of the authority that signed the certificate of the service (default: "
               "SSL_CERT_FILE)"),
    SWI_OPTION(BOOL, struct wandb, insecure,
               "accept any certificate; anyone between this machine and the service can then read "
               "the API key",
               .fallback = "false"),
    SWI_OPTION(PATH, struct wandb, key_file,
               "file with mode 600 that contains the API key (default: WANDB_API_KEY, netrc, or "
               "wandb's settings files)"),
    SWI_OPTION_NAMED("interval", DURATION, struct wandb, interval_ns,
                     "time between two uploads of rows", .fallback = "15s", .min = 0.1, .max = 600),
    SWI_OPTION(BOOL, struct wandb, system,
               "record processor, memory, disk and network every 15 seconds", .fallback = "true"),
    SWI_OPTION_NAMED("console", CHOICE, struct wandb, console_choice,
                     "auto: upload what the program prints, if its output goes to a file or it "
                     "runs under stepwatch run; off: upload no output",
                     .fallback = "auto", .choices = "auto|off"),
    SWI_THINNING_OPTIONS(struct wandb, thinning,
                         "keep the newest rows and all results; what was uploaded stays "
                         "at the service"),
    {.name = NULL},
};

static int wandb_open(void *state, struct sw_sink *sink, struct sw_error *err)
{
    struct wandb *w = state;
    w->sink = sink;
    w->written = w->looped_to = -1;
    swi_wandb_env_from(sink);
    int rc = swi_wandb_run_open(w, err);
    swi_wandb_env_from(NULL);
    if (rc >= 0 && !w->off)
        swi_thinning_begin(&w->thinning, sink, w->folder);
    w->rotation.most = w->rotation.due = swi_thinning_file_most(&w->thinning);
    if (w->off)
        sw_sink_want(sink, 0);
    if (w->off || rc < 0) {
        swi_wandb_online_free(w);
        swi_text_free(&w->unsaid);
        swi_wandb_sweep_free(&w->sweep);
    }
    return rc;
}

/* ---- records --------------------------------------------------------------------------------- */

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
    swi_fields_set(swi_wandb_fresh(w), "_wandb");
    swi_fields_merge(swi_wandb_fresh(w), &w->kept.own);
    swi_wandb_summary_write(w);
    swi_fields_merge(&w->summary, swi_wandb_fresh(w));
}

static void end_write(struct wandb *w, const struct sw_end *end)
{
    int code = end->exit_status ? end->exit_status : end->signal ? 128 + end->signal : 0;
    w->exit_code = code;
    w->deadline_ns = swi_end_deadline_ns(end);
    swi_wandb_row_end(w);
    summary_end(w);
    swi_wandb_printed_end(w);
    int64_t elsewhere = w->records.lost + w->records.aside;
    swi_records_exit(&w->records, code, w->last_ns / 1000000000);
    w->end_written = elsewhere == w->records.lost + w->records.aside;
    swi_wandb_run_files_end(w);
    w->ended = true;
}

/* It must not wait for the flush of the next second: the loop may stand still. */
static void alert_take(struct wandb *w, const struct sw_alert *alert)
{
    static const char *const names[] = {"INFO", "WARN", "ERROR"};
    const struct swi_alert_message message = {.title = alert->title,
                                              .text = alert->text,
                                              .level = names[swi_level_of(alert->level)],
                                              .wait_duration = alert->wait_ns / 1000000};
    swi_records_add(&w->records, &(struct swi_record_message){.alert = &message}, SWI_RECORD_ALERT);
    if (!w->failing)
        swi_wandb_run_flush(w);
    swi_wandb_online_flush(w);
}

/* Takes what is neither a report nor a sample. */
static void record_take(struct wandb *w, const struct sw_record *record)
{
    /* The run time of a row is that of its newest value. */
    if (record->type == SW_RECORD_METRICS)
        swi_wandb_metrics(w, record);
    if (record->type == SW_RECORD_VALUE)
        swi_wandb_value(w, record);
    w->last_ns = record->time_ns;
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

static int record_write(void *state, const struct sw_record *record, struct sw_error *err)
{
    struct wandb *w = state;
    if (swi_is_sample(record)) {
        swi_wandb_sample(w, record);
        return 0;
    }
    record_take(w, record);
    int rc = record->type == SW_RECORD_REPORT  ? swi_wandb_fit_report(w, record, err)
             : record->type == SW_RECORD_RANKS ? swi_wandb_ranks_report(w, record, err)
                                               : 0;
    /* If the disk is full, it is tried again with the flush of each second. */
    if (w->records.log.size >= SWI_LOG_ENOUGH && !w->failing)
        swi_wandb_run_flush(w);
    swi_wandb_rotate(w);
    w->thinning.bytes = (int64_t)w->records.log.offset;
    return rc;
}

static int wandb_record(void *state, const struct sw_record *record, struct sw_error *err)
{
    struct wandb *w = state;
    return w->off ? 0 : swi_thinning_record(&w->thinning, record, record_write, w, err);
}

/* ---- flush and close ------------------------------------------------------------------------- */

static void lost_tell(struct wandb *w)
{
    if (w->records.lost > w->lost)
        sw_sink_lost(w->sink, w->records.lost - w->lost);
    w->lost = w->records.lost;
}

static int wandb_flush(void *state, struct sw_error *err)
{
    struct wandb *w = state;
    (void)err;
    if (w->off || w->ended)
        return 0;
    swi_wandb_sample_look(w);
    swi_wandb_printed_look(w);
    swi_wandb_output_flush(w);
    swi_wandb_run_flush(w);
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
    swi_fields_free(&w->newest);
    swi_fields_free(&w->fresh);
    swi_fields_free(&w->config);
    swi_fields_free(&w->drafted);
    swi_fields_free(&w->axes);
    swi_kept_fini(&w->kept);
    swi_text_free(&w->output);
    swi_wandb_printed_free(&w->printed);
    swi_text_free(&w->unsaid);
    swi_wandb_sweep_free(&w->sweep);
    swi_sample_sums_free(&w->sums);
}

static int wandb_close(void *state, struct sw_error *err)
{
    struct wandb *w = state;
    if (w->off)
        return 0;
    SW_ERROR_SCOPE(ignored);
    swi_thinning_end(&w->thinning, record_write, w, &ignored);
    swi_wandb_row_end(w);
    swi_wandb_output_flush(w);
    swi_wandb_run_flush(w);
    swi_wandb_rotation_end(w);
    bool passed = w->failing && swi_wandb_online_pass(w);
    int rc = swi_wandb_log_close(&w->records.log, err);
    *(passed ? &w->records.aside : &w->records.lost) += w->records.log.records;
    lost_tell(w);
    if (rc < 0)
        sw_error_prefix(err, "%s", w->folder);
    if (!swi_wandb_online_close(w, rc == 0) && !w->quiet)
        swi_wandb_say(w, 0, "upload %s with: stepwatch sync %s (or wandb sync)",
                      rc < 0 ? "what exists of the run" : "the run", w->folder);
    swi_wandb_say_flush(w);
    run_free(w);
    return rc;
}

/* ---- before it is opened --------------------------------------------------------------------- */

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

/* The service would refuse the whole run, now or when it is uploaded later. */
static void labels_check(const struct wandb *w, struct sw_sink_check *check)
{
    const struct {
        const char *option, *text;
    } labels[] = {{"name", w->name}, {"group", w->group}, {"job_type", w->job_type}};
    for (size_t i = 0; i < sizeof labels / sizeof *labels; i++) {
        SW_ERROR_SCOPE(err);
        if (labels[i].text && swi_wandb_label_check(labels[i].text, &err) < 0)
            sw_sink_mistake(check, labels[i].option, "%s", sw_error_text(&err));
    }
    for (size_t i = 0; w->tags && w->tags[i]; i++) {
        SW_ERROR_SCOPE(err);
        if (swi_wandb_tag_check(w->tags[i], &err) < 0)
            sw_sink_mistake(check, "tags", "%s", sw_error_text(&err));
    }
}

static void setting_check(struct sw_sink_check *check, const char *option, const char *text,
                          int (*refused)(const char *text, struct sw_error *err))
{
    SW_ERROR_SCOPE(err);
    if (text && *text && refused(text, &err) < 0)
        sw_sink_remark(check, option, "%s", sw_error_text(&err));
}

/* The others are only remarks, because a wrong setting prevents the upload, but not the run. */
static void wandb_check(const void *state, struct sw_sink_check *check)
{
    const struct wandb *w = state;
    char folder[PATH_MAX];
    SW_ERROR_SCOPE(err);
    swi_thinning_check(&w->thinning, check);
    if (strcmp(w->mode, "disabled") == 0)
        return;
    if (!w->dir && swi_wandb_env_path("WANDB_DIR", folder, sizeof folder, &err) < 0)
        sw_sink_remark(check, "dir", "%s", sw_error_text(&err));
    sw_error_free(&err);
    labels_check(w, check);
    setting_check(check, "project", w->project, swi_wandb_project_check);
    setting_check(check, "run_id", w->run_id, swi_wandb_run_id_check);
    if (strcmp(w->mode, "offline") == 0)
        return;
    setting_check(check, "base_url", w->base_url, swi_wandb_address_check);
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
    .monitor = "system",
};
