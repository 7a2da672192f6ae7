/* SPDX-License-Identifier: MIT */
#include "sinks/wandb/file/records.h"
#include "core/text/characters.h"
#include "sinks/wandb/file/row_message.h"
#include "sinks/wandb/file/wandb.pb-c.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Structs of protobuf-c have no const, but it does not change texts. */
static char *text_of(const char *text)
{
    return text ? (char *)(uintptr_t)text : (char *)(uintptr_t)protobuf_c_empty_string;
}

static SwiWandb__Timestamp timestamp_of(double wall_s)
{
    SwiWandb__Timestamp stamp = SWI_WANDB__TIMESTAMP__INIT;
    stamp.seconds = (int64_t)floor(wall_s);
    stamp.nanos = (int32_t)((wall_s - floor(wall_s)) * 1e9);
    return stamp;
}

static bool room(struct swi_records *records, size_t size)
{
    if (size <= records->capacity)
        return true;
    unsigned char *packed = realloc(records->packed, size * 2);
    if (!packed)
        return false;
    records->packed = packed;
    records->capacity = size * 2;
    return true;
}

/* Packs into records->packed. Returns the size, or 0 if out of memory. */
static size_t pack(struct swi_records *records, SwiWandb__Record *record,
                   SwiWandb__Record__WhatCase what, int64_t number)
{
    record->what_case = what;
    record->num = number;
    size_t size = swi_wandb__record__get_packed_size(record);
    return room(records, size) ? swi_wandb__record__pack(record, records->packed) : 0;
}

static bool set_aside(struct swi_records *records, size_t size)
{
    return size && records->beyond &&
           records->beyond(records->arg, records->number, records->packed, size);
}

/* Adds the packed record. size 0: there was no memory for it. */
static void packed_add(struct swi_records *records, size_t size)
{
    bool added = size && swi_wandb_log_add(&records->log, records->packed, size);
    bool aside = !added && set_aside(records, size);
    records->aside += aside;
    records->lost += !added && !aside;
}

static void add(struct swi_records *records, SwiWandb__Record *record,
                SwiWandb__Record__WhatCase what)
{
    packed_add(records, pack(records, record, what, ++records->number));
}

/* ---- what the run is ----------------------------------------------------------------------------
 */

void swi_records_header(struct swi_records *records, const char *producer)
{
    SwiWandb__Record record = SWI_WANDB__RECORD__INIT;
    SwiWandb__Header header = SWI_WANDB__HEADER__INIT;
    SwiWandb__VersionInfo version = SWI_WANDB__VERSION_INFO__INIT;
    version.producer = text_of(producer);
    version.min_consumer = text_of("0.70.0");
    header.version = &version;
    record.header = &header;
    add(records, &record, SWI_WANDB__RECORD__WHAT_HEADER);
}

static size_t texts_count(const char *const *texts)
{
    size_t count = 0;
    while (texts && texts[count])
        count++;
    return count;
}

static SwiWandb__Git git_of(const struct swi_git *git)
{
    SwiWandb__Git message = SWI_WANDB__GIT__INIT;
    message.remote_url = text_of(git->remote);
    message.commit = text_of(git->commit);
    return message;
}

void swi_records_run(struct swi_records *records, const struct swi_wandb_run *run)
{
    SwiWandb__Record record = SWI_WANDB__RECORD__INIT;
    SwiWandb__Run message = SWI_WANDB__RUN__INIT;
    SwiWandb__Telemetry telemetry = SWI_WANDB__TELEMETRY__INIT;
    SwiWandb__Timestamp started = timestamp_of(run->started_s);
    SwiWandb__Git git = git_of(run->git ? run->git : &(struct swi_git){0});
    message.run_id = text_of(run->id);
    message.entity = text_of(run->entity);
    message.project = text_of(run->project);
    message.run_group = text_of(run->group);
    message.job_type = text_of(run->job_type);
    message.display_name = text_of(run->name);
    message.notes = text_of(run->notes);
    message.sweep_id = text_of(run->sweep);
    message.host = text_of(run->host);
    message.n_tags = texts_count(run->tags);
    message.tags = (char **)(uintptr_t)run->tags;
    message.start_time = &started;
    telemetry.cli_version = text_of(run->producer);
    message.telemetry = run->producer ? &telemetry : NULL;
    message.git = *git.remote_url || *git.commit ? &git : NULL;
    record.run = &message;
    add(records, &record, SWI_WANDB__RECORD__WHAT_RUN);
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
    SwiWandb__Timestamp started = timestamp_of(e->started_s);
    message.os = text_of(e->os);
    message.started_at = &started;
    message.program = text_of(e->program);
    message.root = text_of(e->root);
    message.host = text_of(e->host);
    message.executable = text_of(e->executable);
    message.cpu_count = e->cores;
    message.cpu_count_logical = e->processors;
    memory.total = e->memory_bytes;
    message.memory = e->memory_bytes ? &memory : NULL;
    cpu.model = text_of(e->cpu_model);
    message.cpu = *e->cpu_model ? &cpu : NULL;
    disk.total = e->disk_bytes;
    disk.used = e->disk_used_bytes;
    root.key = text_of("/");
    root.value = &disk;
    message.n_disk = e->disk_bytes ? 1 : 0;
    message.disk = disks;
    message.git = *git.remote_url || *git.commit ? &git : NULL;
    message.writer_id = text_of(e->writer_id);
    record.environment = &message;
    add(records, &record, SWI_WANDB__RECORD__WHAT_ENVIRONMENT);
}

static void metric(struct swi_records *records, const char *name, const char *glob,
                   const char *step_metric)
{
    SwiWandb__Record record = SWI_WANDB__RECORD__INIT;
    SwiWandb__Metric message = SWI_WANDB__METRIC__INIT;
    SwiWandb__MetricOptions options = SWI_WANDB__METRIC_OPTIONS__INIT;
    message.name = text_of(name);
    message.glob_name = text_of(glob);
    message.step_metric = text_of(step_metric);
    options.step_sync = step_metric != NULL;
    options.defined = name != NULL;
    message.options = &options;
    record.metric = &message;
    add(records, &record, SWI_WANDB__RECORD__WHAT_METRIC);
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
    message.name = text_of(metric->glob ? NULL : metric->name);
    message.glob_name = text_of(metric->glob ? metric->name : NULL);
    message.step_metric = text_of(metric->axis);
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
    add(records, &record, SWI_WANDB__RECORD__WHAT_METRIC);
}

/* ---- named values -------------------------------------------------------------------------------
 */

/* The messages of a row's items. */
struct items {
    SwiWandb__Item **list;
    SwiWandb__Item *item;
};

static bool items_init(struct items *items, const struct swi_fields *row)
{
    size_t count = row->count ? row->count : 1;
    items->list = malloc(count * sizeof *items->list);
    items->item = malloc(count * sizeof *items->item);
    return items->list && items->item;
}

static void items_fini(struct items *items)
{
    free(items->list);
    free(items->item);
}

static void items_fill(struct items *items, const struct swi_fields *row)
{
    for (size_t i = 0; i < row->count; i++) {
        SwiWandb__Item *item = items->list[i] = &items->item[i];
        swi_wandb__item__init(item);
        item->key = row->item[i].key;
        item->value_case = SWI_WANDB__ITEM__VALUE_VALUE_JSON;
        item->value_json = text_of(row->item[i].json.size ? row->item[i].json.data : "null");
    }
}

/* Packs a row into records->packed. Returns the size, or 0 if out of memory. */
static size_t row_pack(struct swi_records *records, struct swi_row_message message)
{
    size_t size = swi_row_message_size(&message);
    if (!room(records, size))
        return 0;
    swi_row_message_put(&message, records->packed);
    return size;
}

void swi_records_history(struct swi_records *records, const struct swi_fields *row, int64_t step)
{
    packed_add(records,
               row_pack(records, (struct swi_row_message){
                                     .row = row, .step = step, .number = ++records->number}));
}

/* The rows have the same values, so nothing is lost if there is no room. */
bool swi_records_summary(struct swi_records *records, const struct swi_fields *row)
{
    size_t size = row_pack(
        records,
        (struct swi_row_message){.row = row, .is_summary = true, .number = ++records->number});
    bool added = size && swi_wandb_log_repeat(&records->log, records->packed, size);
    if (!added)
        set_aside(records, size);
    return added;
}

/* The row and its summary are the draft's first and second record. */
void swi_records_draft(struct swi_records *records, const struct swi_fields *row,
                       const struct swi_fields *summary, int64_t step)
{
    size_t size = row_pack(
        records, (struct swi_row_message){.row = row, .step = step, .number = records->number + 1});
    if (!size)
        return;
    swi_wandb_log_draft(&records->log, records->packed, size);
    size =
        row_pack(records, (struct swi_row_message){
                              .row = summary, .is_summary = true, .number = records->number + 2});
    if (size)
        swi_wandb_log_draft_more(&records->log, records->packed, size);
}

void swi_records_summary_remove(struct swi_records *records, const char *key)
{
    SwiWandb__Record record = SWI_WANDB__RECORD__INIT;
    SwiWandb__Items message = SWI_WANDB__ITEMS__INIT;
    SwiWandb__Item item = SWI_WANDB__ITEM__INIT, *list[] = {&item};
    char *keys[] = {text_of(key)};
    item.n_nested_key = 1;
    item.nested_key = keys;
    message.n_remove = 1;
    message.remove = list;
    record.summary = &message;
    add(records, &record, SWI_WANDB__RECORD__WHAT_SUMMARY);
}

/* A point in a key may separate levels. */
void swi_records_config(struct swi_records *records, const struct swi_fields *row)
{
    SwiWandb__Record record = SWI_WANDB__RECORD__INIT;
    SwiWandb__Items message = SWI_WANDB__ITEMS__INIT;
    struct items items;
    record.config = &message;
    if (items_init(&items, row)) {
        items_fill(&items, row);
        message.n_update = row->count;
        message.update = items.list;
        add(records, &record, SWI_WANDB__RECORD__WHAT_CONFIG);
    } else {
        records->lost++;
    }
    items_fini(&items);
}

void swi_records_config_nested(struct swi_records *records, const char *const *key,
                               const char *json)
{
    SwiWandb__Record record = SWI_WANDB__RECORD__INIT;
    SwiWandb__Items message = SWI_WANDB__ITEMS__INIT;
    SwiWandb__Item item = SWI_WANDB__ITEM__INIT, *list[] = {&item};
    item.n_nested_key = texts_count(key);
    item.nested_key = (char **)(uintptr_t)key;
    item.value_case = SWI_WANDB__ITEM__VALUE_VALUE_JSON;
    item.value_json = text_of(json);
    message.n_update = 1;
    message.update = list;
    record.config = &message;
    add(records, &record, SWI_WANDB__RECORD__WHAT_CONFIG);
}

void swi_records_stats(struct swi_records *records, const struct swi_fields *row, double wall_s)
{
    SwiWandb__Record record = SWI_WANDB__RECORD__INIT;
    SwiWandb__Stats message = SWI_WANDB__STATS__INIT;
    SwiWandb__Timestamp stamp = timestamp_of(wall_s);
    struct items items;
    if (items_init(&items, row)) {
        items_fill(&items, row);
        message.timestamp = &stamp;
        message.n_item = row->count;
        message.item = items.list;
        record.stats = &message;
        add(records, &record, SWI_WANDB__RECORD__WHAT_STATS);
    }
    items_fini(&items);
}

/* ---- files, lines, the end ----------------------------------------------------------------------
 */

void swi_records_output(struct swi_records *records, const char *lines, bool error, double wall_s)
{
    SwiWandb__Record record = SWI_WANDB__RECORD__INIT;
    SwiWandb__OutputRaw message = SWI_WANDB__OUTPUT_RAW__INIT;
    SwiWandb__Timestamp stamp = timestamp_of(wall_s);
    message.output_type = error ? 0 : 1;
    message.timestamp = &stamp;
    message.line = text_of(lines);
    record.output_raw = &message;
    add(records, &record, SWI_WANDB__RECORD__WHAT_OUTPUT_RAW);
}

void swi_records_file(struct swi_records *records, const char *path, enum swi_records_file kind)
{
    SwiWandb__Record record = SWI_WANDB__RECORD__INIT;
    SwiWandb__Files message = SWI_WANDB__FILES__INIT;
    SwiWandb__FilesItem item = SWI_WANDB__FILES_ITEM__INIT;
    SwiWandb__FilesItem *list[] = {&item};
    item.path = text_of(path);
    item.policy = kind == SWI_FILE_OF_RUN ? 1 : 0;
    item.type = kind == SWI_FILE_OF_VALUE ? 2 : kind == SWI_FILE_OF_RUN ? 1 : 0;
    message.n_files = 1;
    message.files = list;
    record.files = &message;
    add(records, &record, SWI_WANDB__RECORD__WHAT_FILES);
}

/* The aliases of an artifact: latest, then the program's. */
enum { ALIASES_MAX = 64 };

static size_t aliases_set(char *alias[ALIASES_MAX], const char *const *given)
{
    size_t count = 0;
    alias[count++] = text_of("latest");
    for (; given && *given && count < ALIASES_MAX; given++)
        if (**given && strcmp(*given, "latest") != 0 && swi_utf8_is_valid(*given, strlen(*given)))
            alias[count++] = text_of(*given);
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
    layout.key = text_of("storageLayout");
    layout.value_json = text_of("\"V2\"");
    file.path = text_of(artifact->file);
    file.digest = text_of(artifact->md5);
    file.size = (int64_t)artifact->size;
    file.local_path = text_of(artifact->local_path);
    manifest.version = 1;
    manifest.storage_policy = text_of("wandb-storage-policy-v1");
    manifest.n_storage_policy_config = 1;
    manifest.storage_policy_config = layouts;
    manifest.n_contents = 1;
    manifest.contents = files;
    message.run_id = text_of(artifact->run_id);
    message.project = text_of(artifact->project);
    message.entity = text_of(artifact->entity);
    message.type = text_of(artifact->type);
    message.description = text_of(artifact->description);
    message.name = text_of(artifact->name);
    message.digest = text_of(artifact->digest);
    message.n_aliases = aliases_set(aliases, artifact->aliases);
    message.aliases = aliases;
    message.manifest = &manifest;
    message.finalize = true;
    message.client_id = text_of(artifact->id);
    message.sequence_client_id = text_of(artifact->sequence);
    message.digest_algorithm = text_of("MANIFEST_MD5");
    record.artifact = &message;
    add(records, &record, SWI_WANDB__RECORD__WHAT_ARTIFACT);
}

void swi_records_alert(struct swi_records *records, const char *title, const char *text,
                       const char *level, int64_t wait_ms)
{
    SwiWandb__Record record = SWI_WANDB__RECORD__INIT;
    SwiWandb__Alert message = SWI_WANDB__ALERT__INIT;
    message.title = text_of(title);
    message.text = text_of(text);
    message.level = text_of(level);
    message.wait_duration = wait_ms;
    record.alert = &message;
    add(records, &record, SWI_WANDB__RECORD__WHAT_ALERT);
}

void swi_records_exit(struct swi_records *records, int code, int64_t runtime_s)
{
    SwiWandb__Record record = SWI_WANDB__RECORD__INIT;
    SwiWandb__RunExit message = SWI_WANDB__RUN_EXIT__INIT;
    message.exit_code = code;
    message.runtime = (int32_t)runtime_s;
    record.exit = &message;
    add(records, &record, SWI_WANDB__RECORD__WHAT_EXIT);
}

void swi_records_free(struct swi_records *records)
{
    free(records->packed);
    records->packed = NULL;
    records->capacity = 0;
}
