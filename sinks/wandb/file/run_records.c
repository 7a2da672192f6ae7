/* SPDX-License-Identifier: MIT */
#include "sinks/wandb/file/run_records.h"

#include "core/text/characters.h"

#include <string.h>

/* ---- what the run is ------------------------------------------------------------------------- */

void swi_records_header(struct swi_records *records, const char *producer)
{
    struct swi_record_message record = {0};
    struct swi_header_message header = {0};
    struct swi_version_info_message version = {0};
    version.producer = producer;
    version.min_consumer = "0.70.0";
    header.version = &version;
    record.header = &header;
    swi_records_add(records, &record, SWI_RECORD_HEADER);
}

static struct swi_git_message git_of(const struct swi_git *git)
{
    struct swi_git_message message = {0};
    message.remote_url = git->remote;
    message.commit = git->commit;
    return message;
}

static bool is_given(const struct swi_git_message *git)
{
    return (git->remote_url && *git->remote_url) || (git->commit && *git->commit);
}

void swi_records_run(struct swi_records *records, const struct swi_wandb_run *run)
{
    struct swi_record_message record = {0};
    struct swi_run_message message = {0};
    struct swi_telemetry_message telemetry = {0};
    struct swi_timestamp_message started = swi_wandb_timestamp(run->started_s);
    struct swi_git_message git = git_of(run->git ? run->git : &(struct swi_git){0});
    message.run_id = run->id;
    message.entity = run->entity;
    message.project = run->project;
    message.run_group = run->group;
    message.job_type = run->job_type;
    message.display_name = run->name;
    message.notes = run->notes;
    message.sweep_id = run->sweep;
    message.host = run->host;
    message.n_tags = swi_wandb_texts_count(run->tags);
    message.tags = run->tags;
    message.start_time = &started;
    telemetry.cli_version = run->producer;
    message.telemetry = run->producer ? &telemetry : NULL;
    message.git = is_given(&git) ? &git : NULL;
    record.run = &message;
    swi_records_add(records, &record, SWI_RECORD_RUN);
}

void swi_records_environment(struct swi_records *records, const struct swi_wandb_environment *e)
{
    struct swi_record_message record = {0};
    struct swi_environment_message message = {0};
    struct swi_memory_info_message memory = {0};
    struct swi_cpu_info_message cpu = {0};
    struct swi_disk_entry_message root = {0};
    const struct swi_disk_entry_message *disks[] = {&root};
    struct swi_disk_info_message disk = {0};
    struct swi_git_message git = git_of(&e->git);
    struct swi_timestamp_message started = swi_wandb_timestamp(e->started_s);
    message.os = e->os;
    message.started_at = &started;
    message.program = e->program;
    message.root = e->root;
    message.host = e->host;
    message.executable = e->executable;
    message.cpu_count = e->cores;
    message.cpu_count_logical = e->processors;
    memory.total = e->memory_bytes;
    message.memory = e->memory_bytes ? &memory : NULL;
    cpu.model = e->cpu_model;
    message.cpu = *e->cpu_model ? &cpu : NULL;
    disk.total = e->disk_bytes;
    disk.used = e->disk_used_bytes;
    root.key = "/";
    root.value = &disk;
    message.n_disk = e->disk_bytes ? 1 : 0;
    message.disk = disks;
    message.git = is_given(&git) ? &git : NULL;
    message.writer_id = e->writer_id;
    record.environment = &message;
    swi_records_add(records, &record, SWI_RECORD_ENVIRONMENT);
}

static void metric(struct swi_records *records, const char *name, const char *glob,
                   const char *step_metric)
{
    struct swi_record_message record = {0};
    struct swi_metric_message message = {0};
    struct swi_metric_options_message options = {0};
    message.name = name;
    message.glob_name = glob;
    message.step_metric = step_metric;
    options.step_sync = step_metric != NULL;
    options.defined = name != NULL;
    message.options = &options;
    record.metric = &message;
    swi_records_add(records, &record, SWI_RECORD_METRIC);
}

void swi_records_metric(struct swi_records *records, const char *name)
{
    metric(records, name, NULL, NULL);
}

void swi_records_metric_glob(struct swi_records *records, const char *glob, const char *step_metric)
{
    metric(records, NULL, glob, step_metric);
}

static void metric_kept(struct swi_metric_summary_message *summary, unsigned keep)
{
    summary->min = (keep & SW_KEEP_MIN) != 0;
    summary->max = (keep & SW_KEEP_MAX) != 0;
    summary->mean = (keep & SW_KEEP_MEAN) != 0;
    summary->last = (keep & SW_KEEP_LAST) != 0;
    summary->none = (keep & SW_KEEP_NONE) != 0;
    summary->first = (keep & SW_KEEP_FIRST) != 0;
}

void swi_records_metric_rule(struct swi_records *records, const struct swi_wandb_metric *metric)
{
    struct swi_record_message record = {0};
    struct swi_metric_message message = {0};
    struct swi_metric_options_message options = {0};
    struct swi_metric_summary_message summary = {0};
    struct swi_metric_control_message control = {0};
    message.name = metric->glob ? NULL : metric->name;
    message.glob_name = metric->glob ? metric->name : NULL;
    message.step_metric = metric->axis;
    options.step_sync = metric->axis != NULL;
    options.hidden = metric->hidden;
    options.defined = true;
    message.options = &options;
    metric_kept(&summary, metric->keep);
    message.summary = metric->keep ? &summary : NULL;
    message.goal = metric->goal == SW_GOAL_MIN ? 1 : metric->goal == SW_GOAL_MAX ? 2 : 0;
    control.overwrite = true;
    message.control = &control;
    record.metric = &message;
    swi_records_add(records, &record, SWI_RECORD_METRIC);
}

/* ---- files, lines, the end ------------------------------------------------------------------- */

void swi_records_output(struct swi_records *records, const char *lines, bool error, double wall_s)
{
    struct swi_record_message record = {0};
    struct swi_output_raw_message message = {0};
    struct swi_timestamp_message stamp = swi_wandb_timestamp(wall_s);
    message.output_type = error ? 0 : 1;
    message.timestamp = &stamp;
    message.line = lines;
    record.output_raw = &message;
    swi_records_add(records, &record, SWI_RECORD_OUTPUT_RAW);
}

void swi_records_file(struct swi_records *records, const char *path, enum swi_records_file kind)
{
    struct swi_record_message record = {0};
    struct swi_files_message message = {0};
    struct swi_files_item_message item = {0};
    const struct swi_files_item_message *list[] = {&item};
    item.path = path;
    item.policy = kind == SWI_FILE_OF_RUN ? 1 : 0;
    item.type = kind == SWI_FILE_OF_VALUE ? 2 : kind == SWI_FILE_OF_RUN ? 1 : 0;
    message.n_files = 1;
    message.files = list;
    record.files = &message;
    swi_records_add(records, &record, SWI_RECORD_FILES);
}

/* The aliases of an artifact: latest, then the program's. */
enum { ALIASES_MAX = 64 };

static size_t aliases_set(const char *alias[ALIASES_MAX], const char *const *given)
{
    size_t count = 0;
    alias[count++] = "latest";
    for (; given && *given && count < ALIASES_MAX; given++)
        if (**given && strcmp(*given, "latest") != 0 && swi_utf8_is_valid(*given, strlen(*given)))
            alias[count++] = *given;
    return count;
}

void swi_records_artifact(struct swi_records *records, const struct swi_wandb_artifact *artifact)
{
    struct swi_record_message record = {0};
    struct swi_artifact_message message = {0};
    struct swi_manifest_message manifest = {0};
    struct swi_manifest_option_message layout = {0};
    const struct swi_manifest_option_message *layouts[] = {&layout};
    struct swi_manifest_entry_message file = {0};
    const struct swi_manifest_entry_message *files[] = {&file};
    const char *aliases[ALIASES_MAX];
    layout.key = "storageLayout";
    layout.value_json = "\"V2\"";
    file.path = artifact->file;
    file.digest = artifact->md5;
    file.size = (int64_t)artifact->size;
    file.local_path = artifact->local_path;
    manifest.version = 1;
    manifest.storage_policy = "wandb-storage-policy-v1";
    manifest.n_storage_policy_config = 1;
    manifest.storage_policy_config = layouts;
    manifest.n_contents = 1;
    manifest.contents = files;
    message.run_id = artifact->run_id;
    message.project = artifact->project;
    message.entity = artifact->entity;
    message.type = artifact->type;
    message.description = artifact->description;
    message.name = artifact->name;
    message.digest = artifact->digest;
    message.n_aliases = aliases_set(aliases, artifact->aliases);
    message.aliases = aliases;
    message.manifest = &manifest;
    message.finalize = true;
    message.client_id = artifact->id;
    message.sequence_client_id = artifact->sequence;
    message.digest_algorithm = "MANIFEST_MD5";
    record.artifact = &message;
    swi_records_add(records, &record, SWI_RECORD_ARTIFACT);
}

void swi_records_alert(struct swi_records *records, const char *title, const char *text,
                       const char *level, int64_t wait_ms)
{
    struct swi_record_message record = {0};
    struct swi_alert_message message = {0};
    message.title = title;
    message.text = text;
    message.level = level;
    message.wait_duration = wait_ms;
    record.alert = &message;
    swi_records_add(records, &record, SWI_RECORD_ALERT);
}

void swi_records_exit(struct swi_records *records, int code, int64_t runtime_s)
{
    struct swi_record_message record = {0};
    struct swi_run_exit_message message = {0};
    message.exit_code = code;
    message.runtime = (int32_t)runtime_s;
    record.exit = &message;
    swi_records_add(records, &record, SWI_RECORD_EXIT);
}
