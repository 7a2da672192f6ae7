/* SPDX-License-Identifier: MIT */
#include "sinks/wandb/file/run_records.h"

#include "core/text/characters.h"
#include "sinks/wandb/file/pack_record.h"

#include <string.h>

/* ---- what the run is ------------------------------------------------------------------------- */

void swi_records_header(struct swi_records *records, const char *producer)
{
    SwiWandb__Record record = SWI_WANDB__RECORD__INIT;
    SwiWandb__Header header = SWI_WANDB__HEADER__INIT;
    SwiWandb__VersionInfo version = SWI_WANDB__VERSION_INFO__INIT;
    version.producer = swi_wandb_text(producer);
    version.min_consumer = swi_wandb_text("0.70.0");
    header.version = &version;
    record.header = &header;
    swi_records_add(records, &record, SWI_WANDB__RECORD__WHAT_HEADER);
}

static SwiWandb__Git git_of(const struct swi_git *git)
{
    SwiWandb__Git message = SWI_WANDB__GIT__INIT;
    message.remote_url = swi_wandb_text(git->remote);
    message.commit = swi_wandb_text(git->commit);
    return message;
}

void swi_records_run(struct swi_records *records, const struct swi_wandb_run *run)
{
    SwiWandb__Record record = SWI_WANDB__RECORD__INIT;
    SwiWandb__Run message = SWI_WANDB__RUN__INIT;
    SwiWandb__Telemetry telemetry = SWI_WANDB__TELEMETRY__INIT;
    SwiWandb__Timestamp started = swi_wandb_timestamp(run->started_s);
    SwiWandb__Git git = git_of(run->git ? run->git : &(struct swi_git){0});
    message.run_id = swi_wandb_text(run->id);
    message.entity = swi_wandb_text(run->entity);
    message.project = swi_wandb_text(run->project);
    message.run_group = swi_wandb_text(run->group);
    message.job_type = swi_wandb_text(run->job_type);
    message.display_name = swi_wandb_text(run->name);
    message.notes = swi_wandb_text(run->notes);
    message.sweep_id = swi_wandb_text(run->sweep);
    message.host = swi_wandb_text(run->host);
    message.n_tags = swi_wandb_texts_count(run->tags);
    message.tags = (char **)(uintptr_t)run->tags;
    message.start_time = &started;
    telemetry.cli_version = swi_wandb_text(run->producer);
    message.telemetry = run->producer ? &telemetry : NULL;
    message.git = *git.remote_url || *git.commit ? &git : NULL;
    record.run = &message;
    swi_records_add(records, &record, SWI_WANDB__RECORD__WHAT_RUN);
}

void swi_records_environment(struct swi_records *records, const struct swi_wandb_environment *e)
{
    SwiWandb__Record record = SWI_WANDB__RECORD__INIT;
    SwiWandb__Environment message = SWI_WANDB__ENVIRONMENT__INIT;
    SwiWandb__MemoryInfo memory = SWI_WANDB__MEMORY_INFO__INIT;
    SwiWandb__CpuInfo cpu = SWI_WANDB__CPU_INFO__INIT;
    SwiWandb__DiskEntry root = SWI_WANDB__DISK_ENTRY__INIT, *disks[] = {&root};
    SwiWandb__DiskInfo disk = SWI_WANDB__DISK_INFO__INIT;
    SwiWandb__Git git = git_of(&e->git);
    SwiWandb__Timestamp started = swi_wandb_timestamp(e->started_s);
    message.os = swi_wandb_text(e->os);
    message.started_at = &started;
    message.program = swi_wandb_text(e->program);
    message.root = swi_wandb_text(e->root);
    message.host = swi_wandb_text(e->host);
    message.executable = swi_wandb_text(e->executable);
    message.cpu_count = e->cores;
    message.cpu_count_logical = e->processors;
    memory.total = e->memory_bytes;
    message.memory = e->memory_bytes ? &memory : NULL;
    cpu.model = swi_wandb_text(e->cpu_model);
    message.cpu = *e->cpu_model ? &cpu : NULL;
    disk.total = e->disk_bytes;
    disk.used = e->disk_used_bytes;
    root.key = swi_wandb_text("/");
    root.value = &disk;
    message.n_disk = e->disk_bytes ? 1 : 0;
    message.disk = disks;
    message.git = *git.remote_url || *git.commit ? &git : NULL;
    message.writer_id = swi_wandb_text(e->writer_id);
    record.environment = &message;
    swi_records_add(records, &record, SWI_WANDB__RECORD__WHAT_ENVIRONMENT);
}

static void metric(struct swi_records *records, const char *name, const char *glob,
                   const char *step_metric)
{
    SwiWandb__Record record = SWI_WANDB__RECORD__INIT;
    SwiWandb__Metric message = SWI_WANDB__METRIC__INIT;
    SwiWandb__MetricOptions options = SWI_WANDB__METRIC_OPTIONS__INIT;
    message.name = swi_wandb_text(name);
    message.glob_name = swi_wandb_text(glob);
    message.step_metric = swi_wandb_text(step_metric);
    options.step_sync = step_metric != NULL;
    options.defined = name != NULL;
    message.options = &options;
    record.metric = &message;
    swi_records_add(records, &record, SWI_WANDB__RECORD__WHAT_METRIC);
}

void swi_records_metric(struct swi_records *records, const char *name)
{
    metric(records, name, NULL, NULL);
}

void swi_records_metric_glob(struct swi_records *records, const char *glob, const char *step_metric)
{
    metric(records, NULL, glob, step_metric);
}

static void metric_kept(SwiWandb__MetricSummary *summary, unsigned keep)
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
    SwiWandb__Record record = SWI_WANDB__RECORD__INIT;
    SwiWandb__Metric message = SWI_WANDB__METRIC__INIT;
    SwiWandb__MetricOptions options = SWI_WANDB__METRIC_OPTIONS__INIT;
    SwiWandb__MetricSummary summary = SWI_WANDB__METRIC_SUMMARY__INIT;
    SwiWandb__MetricControl control = SWI_WANDB__METRIC_CONTROL__INIT;
    message.name = swi_wandb_text(metric->glob ? NULL : metric->name);
    message.glob_name = swi_wandb_text(metric->glob ? metric->name : NULL);
    message.step_metric = swi_wandb_text(metric->axis);
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
    swi_records_add(records, &record, SWI_WANDB__RECORD__WHAT_METRIC);
}

/* ---- files, lines, the end ------------------------------------------------------------------- */

void swi_records_output(struct swi_records *records, const char *lines, bool error, double wall_s)
{
    SwiWandb__Record record = SWI_WANDB__RECORD__INIT;
    SwiWandb__OutputRaw message = SWI_WANDB__OUTPUT_RAW__INIT;
    SwiWandb__Timestamp stamp = swi_wandb_timestamp(wall_s);
    message.output_type = error ? 0 : 1;
    message.timestamp = &stamp;
    message.line = swi_wandb_text(lines);
    record.output_raw = &message;
    swi_records_add(records, &record, SWI_WANDB__RECORD__WHAT_OUTPUT_RAW);
}

void swi_records_file(struct swi_records *records, const char *path, enum swi_records_file kind)
{
    SwiWandb__Record record = SWI_WANDB__RECORD__INIT;
    SwiWandb__Files message = SWI_WANDB__FILES__INIT;
    SwiWandb__FilesItem item = SWI_WANDB__FILES_ITEM__INIT;
    SwiWandb__FilesItem *list[] = {&item};
    item.path = swi_wandb_text(path);
    item.policy = kind == SWI_FILE_OF_RUN ? 1 : 0;
    item.type = kind == SWI_FILE_OF_VALUE ? 2 : kind == SWI_FILE_OF_RUN ? 1 : 0;
    message.n_files = 1;
    message.files = list;
    record.files = &message;
    swi_records_add(records, &record, SWI_WANDB__RECORD__WHAT_FILES);
}

/* The aliases of an artifact: latest, then the program's. */
enum { ALIASES_MAX = 64 };

static size_t aliases_set(char *alias[ALIASES_MAX], const char *const *given)
{
    size_t count = 0;
    alias[count++] = swi_wandb_text("latest");
    for (; given && *given && count < ALIASES_MAX; given++)
        if (**given && strcmp(*given, "latest") != 0 && swi_utf8_is_valid(*given, strlen(*given)))
            alias[count++] = swi_wandb_text(*given);
    return count;
}

void swi_records_artifact(struct swi_records *records, const struct swi_wandb_artifact *artifact)
{
    SwiWandb__Record record = SWI_WANDB__RECORD__INIT;
    SwiWandb__Artifact message = SWI_WANDB__ARTIFACT__INIT;
    SwiWandb__Manifest manifest = SWI_WANDB__MANIFEST__INIT;
    SwiWandb__ManifestOption layout = SWI_WANDB__MANIFEST_OPTION__INIT, *layouts[] = {&layout};
    SwiWandb__ManifestEntry file = SWI_WANDB__MANIFEST_ENTRY__INIT, *files[] = {&file};
    char *aliases[ALIASES_MAX];
    layout.key = swi_wandb_text("storageLayout");
    layout.value_json = swi_wandb_text("\"V2\"");
    file.path = swi_wandb_text(artifact->file);
    file.digest = swi_wandb_text(artifact->md5);
    file.size = (int64_t)artifact->size;
    file.local_path = swi_wandb_text(artifact->local_path);
    manifest.version = 1;
    manifest.storage_policy = swi_wandb_text("wandb-storage-policy-v1");
    manifest.n_storage_policy_config = 1;
    manifest.storage_policy_config = layouts;
    manifest.n_contents = 1;
    manifest.contents = files;
    message.run_id = swi_wandb_text(artifact->run_id);
    message.project = swi_wandb_text(artifact->project);
    message.entity = swi_wandb_text(artifact->entity);
    message.type = swi_wandb_text(artifact->type);
    message.description = swi_wandb_text(artifact->description);
    message.name = swi_wandb_text(artifact->name);
    message.digest = swi_wandb_text(artifact->digest);
    message.n_aliases = aliases_set(aliases, artifact->aliases);
    message.aliases = aliases;
    message.manifest = &manifest;
    message.finalize = true;
    message.client_id = swi_wandb_text(artifact->id);
    message.sequence_client_id = swi_wandb_text(artifact->sequence);
    message.digest_algorithm = swi_wandb_text("MANIFEST_MD5");
    record.artifact = &message;
    swi_records_add(records, &record, SWI_WANDB__RECORD__WHAT_ARTIFACT);
}

void swi_records_alert(struct swi_records *records, const char *title, const char *text,
                       const char *level, int64_t wait_ms)
{
    SwiWandb__Record record = SWI_WANDB__RECORD__INIT;
    SwiWandb__Alert message = SWI_WANDB__ALERT__INIT;
    message.title = swi_wandb_text(title);
    message.text = swi_wandb_text(text);
    message.level = swi_wandb_text(level);
    message.wait_duration = wait_ms;
    record.alert = &message;
    swi_records_add(records, &record, SWI_WANDB__RECORD__WHAT_ALERT);
}

void swi_records_exit(struct swi_records *records, int code, int64_t runtime_s)
{
    SwiWandb__Record record = SWI_WANDB__RECORD__INIT;
    SwiWandb__RunExit message = SWI_WANDB__RUN_EXIT__INIT;
    message.exit_code = code;
    message.runtime = (int32_t)runtime_s;
    record.exit = &message;
    swi_records_add(records, &record, SWI_WANDB__RECORD__WHAT_EXIT);
}
