/* SPDX-License-Identifier: MIT */
#include "sinks/wandb/file/run_records.h"
#include "core/text/characters.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct swi_timestamp_message timestamp(double wall_s)
{
    return (struct swi_timestamp_message){.seconds = (int64_t)floor(wall_s),
                                          .nanos = (int32_t)((wall_s - floor(wall_s)) * 1e9)};
}

static size_t texts_count(const char *const *texts)
{
    size_t count = 0;
    while (texts && texts[count])
        count++;
    return count;
}

/* ---- adding a record to the log -------------------------------------------------------------- */

/* Gives the packed record to `beyond`. Returns whether that keeps it. */
static bool set_aside(struct swi_records *records)
{
    return !records->packed.failed && records->beyond &&
           records->beyond(records->arg, records->number, records->packed.data,
                           records->packed.size);
}

/* Adds the packed record, which is incomplete if memory has run out. */
static void packed_add(struct swi_records *records)
{
    bool added = !records->packed.failed &&
                 swi_wandb_log_add(&records->log, records->packed.data, records->packed.size);
    bool aside = !added && set_aside(records);
    records->aside += aside;
    records->lost += !added && !aside;
}

static void packed_clear(struct swi_records *records)
{
    records->packed.size = 0;
    records->packed.failed = false;
}

void swi_records_add(struct swi_records *records, struct swi_record_message *record,
                     enum swi_record_what what)
{
    record->what = what;
    record->num = ++records->number;
    packed_clear(records);
    swi_record_message_add(&records->packed, record);
    packed_add(records);
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* Packs a row. Returns false if out of memory. */
static bool row_pack(struct swi_records *records, struct swi_row_message message)
{
    packed_clear(records);
    swi_row_message_add(&records->packed, &message);
    return !records->packed.failed;
}

void swi_records_history(struct swi_records *records, const struct swi_fields *row, int64_t step)
{
    row_pack(records,
             (struct swi_row_message){.row = row, .step = step, .number = ++records->number});
    packed_add(records);
}

/* The rows have the same values, so nothing is lost if there is no room. */
bool swi_records_summary(struct swi_records *records, const struct swi_fields *row)
{
    struct swi_row_message message = {.row = row, .is_summary = true, .number = ++records->number};
    bool added = row_pack(records, message) &&
                 swi_wandb_log_repeat(&records->log, records->packed.data, records->packed.size);
    if (!added)
        set_aside(records);
    return added;
}

/* The row and its summary are the draft's first and second record. */
void swi_records_draft(struct swi_records *records, const struct swi_fields *row,
                       const struct swi_fields *summary, int64_t step)
{
    struct swi_row_message first = {.row = row, .step = step, .number = records->number + 1};
    struct swi_row_message second = {
        .row = summary, .is_summary = true, .number = records->number + 2};
    if (!row_pack(records, first))
        return;
    swi_wandb_log_draft(&records->log, records->packed.data, records->packed.size);
    if (row_pack(records, second))
        swi_wandb_log_draft_more(&records->log, records->packed.data, records->packed.size);
}

/* ---- other named values ---------------------------------------------------------------------- */

/* The messages of a row's items. */
struct items {
    const struct swi_item_message **list;
    struct swi_item_message *item;
};

/* Returns false if out of memory. Call items_fini() in any case. */
static bool items_init(struct items *items, const struct swi_fields *row)
{
    size_t count = row->count ? row->count : 1;
    items->list = malloc(count * sizeof *items->list);
    items->item = malloc(count * sizeof *items->item);
    for (size_t i = 0; items->list && items->item && i < row->count; i++) {
        items->list[i] = &items->item[i];
        items->item[i] = (struct swi_item_message){
            .key = row->item[i].key,
            .what = SWI_ITEM_VALUE_JSON,
            .value_json = row->item[i].json.size ? row->item[i].json.data : "null"};
    }
    return items->list && items->item;
}

static void items_fini(struct items *items)
{
    free(items->list);
    free(items->item);
}

void swi_records_summary_remove(struct swi_records *records, const char *key)
{
    struct swi_item_message item = {.n_nested_key = 1, .nested_key = &key};
    struct swi_items_message message = {.n_remove = 1,
                                        .remove = (const struct swi_item_message *const[]){&item}};
    struct swi_record_message record = {.summary = &message};
    swi_records_add(records, &record, SWI_RECORD_SUMMARY);
}

/* A point in a key may separate levels. */
void swi_records_config(struct swi_records *records, const struct swi_fields *row)
{
    struct items items;
    if (items_init(&items, row)) {
        struct swi_items_message message = {.n_update = row->count, .update = items.list};
        struct swi_record_message record = {.config = &message};
        swi_records_add(records, &record, SWI_RECORD_CONFIG);
    } else {
        records->lost++;
    }
    items_fini(&items);
}

void swi_records_config_nested(struct swi_records *records, const char *const *key,
                               const char *json)
{
    struct swi_item_message item = {.n_nested_key = texts_count(key),
                                    .nested_key = key,
                                    .what = SWI_ITEM_VALUE_JSON,
                                    .value_json = json};
    struct swi_items_message message = {.n_update = 1,
                                        .update = (const struct swi_item_message *const[]){&item}};
    struct swi_record_message record = {.config = &message};
    swi_records_add(records, &record, SWI_RECORD_CONFIG);
}

void swi_records_stats(struct swi_records *records, const struct swi_fields *row, double wall_s)
{
    struct swi_timestamp_message stamp = timestamp(wall_s);
    struct items items;
    if (items_init(&items, row)) {
        struct swi_stats_message message = {
            .timestamp = &stamp, .n_item = row->count, .item = items.list};
        struct swi_record_message record = {.stats = &message};
        swi_records_add(records, &record, SWI_RECORD_STATS);
    }
    items_fini(&items);
}

void swi_records_free(struct swi_records *records)
{
    swi_text_free(&records->packed);
}

/* ---- what the run is ------------------------------------------------------------------------- */

void swi_records_header(struct swi_records *records, const char *producer)
{
    struct swi_version_info_message version = {.producer = producer, .min_consumer = "0.70.0"};
    struct swi_header_message message = {.version = &version};
    struct swi_record_message record = {.header = &message};
    swi_records_add(records, &record, SWI_RECORD_HEADER);
}

/* Returns the message, or NULL if there is no repository. */
static const struct swi_git_message *git_of(struct swi_git_message *message,
                                            const struct swi_git *git)
{
    *message = (struct swi_git_message){.remote_url = git->remote, .commit = git->commit};
    return *git->remote || *git->commit ? message : NULL;
}

void swi_records_run(struct swi_records *records, struct swi_run_message run, const char *producer,
                     double started_s, const struct swi_git *git)
{
    struct swi_telemetry_message telemetry = {.cli_version = producer};
    struct swi_timestamp_message started = timestamp(started_s);
    struct swi_git_message repository;
    run.n_tags = texts_count(run.tags);
    run.start_time = &started;
    run.telemetry = producer ? &telemetry : NULL;
    run.git = git ? git_of(&repository, git) : NULL;
    struct swi_record_message record = {.run = &run};
    swi_records_add(records, &record, SWI_RECORD_RUN);
}

void swi_records_environment(struct swi_records *records, const struct swi_wandb_environment *e,
                             struct swi_text *json)
{
    struct swi_memory_info_message memory = {.total = e->memory_bytes};
    struct swi_cpu_info_message cpu = {.model = e->cpu_model};
    struct swi_disk_info_message disk = {.total = e->disk_bytes, .used = e->disk_used_bytes};
    struct swi_disk_entry_message root = {.key = "/", .value = &disk};
    struct swi_timestamp_message started = timestamp(e->started_s);
    struct swi_git_message git;
    struct swi_environment_message message = {
        .os = e->os,
        .started_at = &started,
        .program = e->program,
        .root = e->root,
        .host = e->host,
        .executable = e->executable,
        .cpu_count = e->cores,
        .cpu_count_logical = e->processors,
        .memory = e->memory_bytes ? &memory : NULL,
        .cpu = *e->cpu_model ? &cpu : NULL,
        .n_disk = e->disk_bytes ? 1 : 0,
        .disk = (const struct swi_disk_entry_message *const[]){&root},
        .git = git_of(&git, &e->git),
        .writer_id = e->writer_id,
    };
    struct swi_record_message record = {.environment = &message};
    swi_records_add(records, &record, SWI_RECORD_ENVIRONMENT);
    swi_environment_json(json, &message);
}

void swi_records_metric(struct swi_records *records, const struct swi_metric_message *message)
{
    struct swi_record_message record = {.metric = message};
    swi_records_add(records, &record, SWI_RECORD_METRIC);
}

/* ---- files, lines, the end ------------------------------------------------------------------- */

void swi_records_output(struct swi_records *records, const char *lines, bool error, double wall_s)
{
    struct swi_timestamp_message stamp = timestamp(wall_s);
    struct swi_output_raw_message message = {
        .output_type = error ? 0 : 1, .timestamp = &stamp, .line = lines};
    struct swi_record_message record = {.output_raw = &message};
    swi_records_add(records, &record, SWI_RECORD_OUTPUT_RAW);
}

void swi_records_file(struct swi_records *records, const char *path, enum swi_records_file kind)
{
    struct swi_files_item_message item = {
        .path = path,
        .policy = kind == SWI_FILE_OF_RUN ? 1 : 0,
        .type = kind == SWI_FILE_OF_VALUE ? 2
                : kind == SWI_FILE_OF_RUN ? 1
                                          : 0,
    };
    struct swi_files_message message = {
        .n_files = 1, .files = (const struct swi_files_item_message *const[]){&item}};
    struct swi_record_message record = {.files = &message};
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
    const char *aliases[ALIASES_MAX];
    struct swi_manifest_option_message layout = {.key = "storageLayout", .value_json = "\"V2\""};
    struct swi_manifest_entry_message file = {
        .path = artifact->file,
        .digest = artifact->md5,
        .size = (int64_t)artifact->size,
        .local_path = artifact->local_path,
    };
    struct swi_manifest_message manifest = {
        .version = 1,
        .storage_policy = "wandb-storage-policy-v1",
        .n_storage_policy_config = 1,
        .storage_policy_config = (const struct swi_manifest_option_message *const[]){&layout},
        .n_contents = 1,
        .contents = (const struct swi_manifest_entry_message *const[]){&file},
    };
    struct swi_artifact_message message = {
        .run_id = artifact->run_id,
        .project = artifact->project,
        .entity = artifact->entity,
        .type = artifact->type,
        .description = artifact->description,
        .name = artifact->name,
        .digest = artifact->digest,
        .n_aliases = aliases_set(aliases, artifact->aliases),
        .aliases = aliases,
        .manifest = &manifest,
        .finalize = true,
        .client_id = artifact->id,
        .sequence_client_id = artifact->sequence,
        .digest_algorithm = "MANIFEST_MD5",
    };
    struct swi_record_message record = {.artifact = &message};
    swi_records_add(records, &record, SWI_RECORD_ARTIFACT);
}

void swi_records_exit(struct swi_records *records, int code, int64_t runtime_s)
{
    struct swi_run_exit_message message = {.exit_code = code, .runtime = (int32_t)runtime_s};
    struct swi_record_message record = {.exit = &message};
    swi_records_add(records, &record, SWI_RECORD_EXIT);
}
