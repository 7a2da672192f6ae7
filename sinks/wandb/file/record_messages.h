/* SPDX-License-Identifier: MIT */
/* record_messages.h - the records of a .wandb file, those that are written and those that are read,
 * as structs of core/text/wire_message.h: field numbers are the format, names are ours. What is in
 * no message here is skipped. */
#ifndef SINKS_WANDB_FILE_RECORD_MESSAGES_H
#define SINKS_WANDB_FILE_RECORD_MESSAGES_H

#include "core/text/buffer.h"
#include "core/text/wire_message.h"
#include "sinks/wandb/values/fields.h"

#include <stdbool.h>

/* clang-format off */
#define SWI_TIMESTAMP_FIELDS(S, F, L, C) \
    F(S, INT64, , seconds, 1) F(S, INT32, , nanos, 2)
/* An entry of history, summary, config and statistics. Every reader knows value_json; the SDK has
 * begun to write numbers of the history as numbers. */
#define SWI_ITEM_FIELDS(S, F, L, C) \
    F(S, TEXT, , key, 1) L(S, TEXT, , nested_key, 2) C(S, INT32, , none, 3) \
    C(S, BOOL, , boolean, 4) C(S, SINT64, , integer, 5) C(S, DOUBLE, , number, 6) \
    C(S, TEXT, , text, 7) C(S, TEXT, , json, 8) C(S, TEXT, , value_json, 16)
#define SWI_HISTORY_STEP_FIELDS(S, F, L, C) \
    F(S, INT64, , num, 1)
#define SWI_HISTORY_FIELDS(S, F, L, C) \
    L(S, MESSAGE, item, item, 1) F(S, MESSAGE, history_step, step, 2)
#define SWI_ITEMS_FIELDS(S, F, L, C) \
    L(S, MESSAGE, item, update, 1) L(S, MESSAGE, item, remove, 2)
/* policy: 0 now, 1 at the end, 2 live. type: 1 of wandb itself, 2 media, 3 artifact. */
#define SWI_FILES_ITEM_FIELDS(S, F, L, C) \
    F(S, TEXT, , path, 1) F(S, INT32, , policy, 2) F(S, INT32, , type, 3)
#define SWI_FILES_FIELDS(S, F, L, C) \
    L(S, MESSAGE, files_item, files, 1)
#define SWI_STATS_FIELDS(S, F, L, C) \
    F(S, MESSAGE, timestamp, timestamp, 2) L(S, MESSAGE, item, item, 3)
#define SWI_MANIFEST_OPTION_FIELDS(S, F, L, C) \
    F(S, TEXT, , key, 1) F(S, TEXT, , value_json, 2)
#define SWI_MANIFEST_ENTRY_FIELDS(S, F, L, C) \
    F(S, TEXT, , path, 1) F(S, TEXT, , digest, 2) F(S, TEXT, , ref, 3) F(S, INT64, , size, 4) \
    F(S, TEXT, , local_path, 6) F(S, TEXT, , birth_artifact_id, 7) \
    L(S, MESSAGE, manifest_option, extra, 16)
#define SWI_MANIFEST_FIELDS(S, F, L, C) \
    F(S, INT32, , version, 1) F(S, TEXT, , storage_policy, 2) \
    L(S, MESSAGE, manifest_option, storage_policy_config, 3) \
    L(S, MESSAGE, manifest_entry, contents, 4) F(S, TEXT, , manifest_file_path, 5)
#define SWI_ARTIFACT_FIELDS(S, F, L, C) \
    F(S, TEXT, , run_id, 1) F(S, TEXT, , project, 2) F(S, TEXT, , entity, 3) \
    F(S, TEXT, , type, 4) F(S, TEXT, , name, 5) F(S, TEXT, , digest, 6) \
    F(S, TEXT, , description, 7) F(S, TEXT, , metadata, 8) L(S, TEXT, , aliases, 11) \
    F(S, MESSAGE, manifest, manifest, 12) F(S, TEXT, , distributed_id, 13) \
    F(S, BOOL, , finalize, 14) F(S, TEXT, , client_id, 15) F(S, TEXT, , sequence_client_id, 16) \
    F(S, TEXT, , base_id, 17) L(S, TEXT, , tags, 19) F(S, TEXT, , digest_algorithm, 20) \
    F(S, BOOL, , incremental_beta1, 100)
#define SWI_ALERT_FIELDS(S, F, L, C) \
    F(S, TEXT, , title, 1) F(S, TEXT, , text, 2) F(S, TEXT, , level, 3) \
    F(S, INT64, , wait_duration, 4)
/* imports, feature, env and deprecated are messages whose members are all bools: what counts is
 * which of them are set. */
#define SWI_TELEMETRY_FIELDS(S, F, L, C) \
    F(S, BYTES, , imports_init, 1) F(S, BYTES, , imports_finish, 2) F(S, BYTES, , feature, 3) \
    F(S, TEXT, , python_version, 4) F(S, TEXT, , cli_version, 5) F(S, BYTES, , env, 8) \
    F(S, BYTES, , deprecated, 10) F(S, TEXT, , core_version, 12) F(S, TEXT, , platform, 13)
#define SWI_METRIC_OPTIONS_FIELDS(S, F, L, C) \
    F(S, BOOL, , step_sync, 1) F(S, BOOL, , hidden, 2) F(S, BOOL, , defined, 3)
#define SWI_METRIC_SUMMARY_FIELDS(S, F, L, C) \
    F(S, BOOL, , min, 1) F(S, BOOL, , max, 2) F(S, BOOL, , mean, 3) F(S, BOOL, , best, 4) \
    F(S, BOOL, , last, 5) F(S, BOOL, , none, 6) F(S, BOOL, , copy, 7) F(S, BOOL, , first, 8)
#define SWI_METRIC_CONTROL_FIELDS(S, F, L, C) \
    F(S, BOOL, , overwrite, 1)
#define SWI_METRIC_FIELDS(S, F, L, C) \
    F(S, TEXT, , name, 1) F(S, TEXT, , glob_name, 2) F(S, TEXT, , step_metric, 4) \
    F(S, MESSAGE, metric_options, options, 6) F(S, MESSAGE, metric_summary, summary, 7) \
    F(S, INT32, , goal, 8) F(S, MESSAGE, metric_control, control, 9)
/* output_type: 0 is standard error, 1 standard output. */
#define SWI_OUTPUT_RAW_FIELDS(S, F, L, C) \
    F(S, INT32, , output_type, 1) F(S, MESSAGE, timestamp, timestamp, 2) F(S, TEXT, , line, 3)
#define SWI_GIT_FIELDS(S, F, L, C) \
    F(S, TEXT, , remote_url, 1) F(S, TEXT, , commit, 2)
#define SWI_RUN_FIELDS(S, F, L, C) \
    F(S, TEXT, , run_id, 1) F(S, TEXT, , entity, 2) F(S, TEXT, , project, 3) \
    F(S, MESSAGE, items, config, 4) F(S, MESSAGE, items, summary, 5) F(S, TEXT, , run_group, 6) \
    F(S, TEXT, , job_type, 7) F(S, TEXT, , display_name, 8) F(S, TEXT, , notes, 9) \
    L(S, TEXT, , tags, 10) F(S, TEXT, , sweep_id, 12) F(S, TEXT, , host, 13) \
    F(S, TEXT, , storage_id, 16) F(S, MESSAGE, timestamp, start_time, 17) \
    F(S, BOOL, , resumed, 18) F(S, MESSAGE, telemetry, telemetry, 19) F(S, INT32, , runtime, 20) \
    F(S, MESSAGE, git, git, 21)
#define SWI_RUN_EXIT_FIELDS(S, F, L, C) \
    F(S, INT32, , exit_code, 1) F(S, INT32, , runtime, 2) F(S, BOOL, , not_complete, 3)
#define SWI_VERSION_INFO_FIELDS(S, F, L, C) \
    F(S, TEXT, , producer, 1) F(S, TEXT, , min_consumer, 2)
#define SWI_HEADER_FIELDS(S, F, L, C) \
    F(S, MESSAGE, version_info, version, 1)
#define SWI_DISK_INFO_FIELDS(S, F, L, C) \
    F(S, UINT64, , total, 1) F(S, UINT64, , used, 2)
/* disk and slurm of the environment are maps of the format: a map is a list of such entries. */
#define SWI_DISK_ENTRY_FIELDS(S, F, L, C) \
    F(S, TEXT, , key, 1) F(S, MESSAGE, disk_info, value, 2)
#define SWI_MEMORY_INFO_FIELDS(S, F, L, C) \
    F(S, UINT64, , total, 1)
#define SWI_CPU_INFO_FIELDS(S, F, L, C) \
    F(S, UINT32, , count, 1) F(S, TEXT, , model, 3)
#define SWI_GPU_NVIDIA_INFO_FIELDS(S, F, L, C) \
    F(S, TEXT, , name, 1) F(S, UINT64, , memory_total, 2) F(S, UINT32, , cuda_cores, 3) \
    F(S, TEXT, , architecture, 4) F(S, TEXT, , uuid, 5) F(S, TEXT, , pci_bus_id, 6)
#define SWI_TEXT_ENTRY_FIELDS(S, F, L, C) \
    F(S, TEXT, , key, 1) F(S, TEXT, , value, 2)
#define SWI_ENVIRONMENT_FIELDS(S, F, L, C) \
    F(S, TEXT, , os, 1) F(S, TEXT, , python, 2) F(S, MESSAGE, timestamp, started_at, 3) \
    F(S, TEXT, , docker, 4) L(S, TEXT, , args, 5) F(S, TEXT, , program, 6) \
    F(S, TEXT, , code_path, 7) F(S, TEXT, , code_path_local, 8) F(S, MESSAGE, git, git, 9) \
    F(S, TEXT, , email, 10) F(S, TEXT, , root, 11) F(S, TEXT, , host, 12) \
    F(S, TEXT, , username, 13) F(S, TEXT, , executable, 14) F(S, UINT32, , cpu_count, 16) \
    F(S, UINT32, , cpu_count_logical, 17) F(S, TEXT, , gpu_type, 18) \
    F(S, UINT32, , gpu_count, 19) L(S, MESSAGE, disk_entry, disk, 20) \
    F(S, MESSAGE, memory_info, memory, 21) F(S, MESSAGE, cpu_info, cpu, 22) \
    L(S, MESSAGE, gpu_nvidia_info, gpu_nvidia, 24) F(S, TEXT, , cuda_version, 25) \
    L(S, MESSAGE, text_entry, slurm, 27) F(S, TEXT, , writer_id, 199)
#define SWI_RECORD_FIELDS(S, F, L, C) \
    F(S, INT64, , num, 1) C(S, MESSAGE, history, history, 2) C(S, MESSAGE, items, summary, 3) \
    C(S, MESSAGE, items, config, 5) C(S, MESSAGE, files, files, 6) C(S, MESSAGE, stats, stats, 7) \
    C(S, MESSAGE, artifact, artifact, 8) C(S, MESSAGE, alert, alert, 10) \
    C(S, MESSAGE, telemetry, telemetry, 11) C(S, MESSAGE, metric, metric, 12) \
    C(S, MESSAGE, output_raw, output_raw, 13) C(S, MESSAGE, run, run, 17) \
    C(S, MESSAGE, run_exit, exit, 18) C(S, MESSAGE, header, header, 21) \
    C(S, BYTES, , preempting, 23) \
    C(S, MESSAGE, environment, environment, 26)
/* Those with a choice are defined below. */
#define SWI_PLAIN_MESSAGES(M) \
    M(timestamp, SWI_TIMESTAMP_FIELDS) M(history_step, SWI_HISTORY_STEP_FIELDS) \
    M(history, SWI_HISTORY_FIELDS) M(items, SWI_ITEMS_FIELDS) \
    M(files_item, SWI_FILES_ITEM_FIELDS) M(files, SWI_FILES_FIELDS) M(stats, SWI_STATS_FIELDS) \
    M(manifest_option, SWI_MANIFEST_OPTION_FIELDS) M(manifest_entry, SWI_MANIFEST_ENTRY_FIELDS) \
    M(manifest, SWI_MANIFEST_FIELDS) M(artifact, SWI_ARTIFACT_FIELDS) M(alert, SWI_ALERT_FIELDS) \
    M(telemetry, SWI_TELEMETRY_FIELDS) M(metric_options, SWI_METRIC_OPTIONS_FIELDS) \
    M(metric_summary, SWI_METRIC_SUMMARY_FIELDS) M(metric_control, SWI_METRIC_CONTROL_FIELDS) \
    M(metric, SWI_METRIC_FIELDS) M(output_raw, SWI_OUTPUT_RAW_FIELDS) M(git, SWI_GIT_FIELDS) \
    M(run, SWI_RUN_FIELDS) M(run_exit, SWI_RUN_EXIT_FIELDS) \
    M(version_info, SWI_VERSION_INFO_FIELDS) M(header, SWI_HEADER_FIELDS) \
    M(disk_info, SWI_DISK_INFO_FIELDS) M(disk_entry, SWI_DISK_ENTRY_FIELDS) \
    M(memory_info, SWI_MEMORY_INFO_FIELDS) M(cpu_info, SWI_CPU_INFO_FIELDS) \
    M(gpu_nvidia_info, SWI_GPU_NVIDIA_INFO_FIELDS) M(text_entry, SWI_TEXT_ENTRY_FIELDS) \
    M(environment, SWI_ENVIRONMENT_FIELDS)
/* clang-format on */

enum swi_item_value {
    SWI_ITEM_NOTHING,
    SWI_ITEM_NONE = 3,
    SWI_ITEM_BOOLEAN,
    SWI_ITEM_INTEGER,
    SWI_ITEM_NUMBER,
    SWI_ITEM_TEXT,
    SWI_ITEM_JSON,
    SWI_ITEM_VALUE_JSON = 16
};

SWI_CHOICE_STRUCT(item, SWI_ITEM_FIELDS, enum swi_item_value)

SWI_PLAIN_MESSAGES(SWI_MESSAGE_STRUCT)

enum swi_record_what {
    SWI_RECORD_UNKNOWN,
    SWI_RECORD_HISTORY = 2,
    SWI_RECORD_SUMMARY = 3,
    SWI_RECORD_CONFIG = 5,
    SWI_RECORD_FILES = 6,
    SWI_RECORD_STATS = 7,
    SWI_RECORD_ARTIFACT = 8,
    SWI_RECORD_ALERT = 10,
    SWI_RECORD_TELEMETRY = 11,
    SWI_RECORD_METRIC = 12,
    SWI_RECORD_OUTPUT_RAW = 13,
    SWI_RECORD_RUN = 17,
    SWI_RECORD_EXIT = 18,
    SWI_RECORD_HEADER = 21,
    SWI_RECORD_PREEMPTING = 23,
    SWI_RECORD_ENVIRONMENT = 26
};

SWI_CHOICE_STRUCT(record, SWI_RECORD_FIELDS, enum swi_record_what)

/* Adds the bytes of a record. */
void swi_record_message_add(struct swi_text *to, const struct swi_record_message *record);

/* Reads a record, for swi_message_free(). Returns NULL if the bytes are not a record, or take more
 * than `most` bytes of memory. */
struct swi_record_message *swi_record_message_read(const void *bytes, size_t size, size_t most);

/* Adds the environment as the content of wandb-metadata.json. */
void swi_environment_json(struct swi_text *json, const struct swi_environment_message *environment);

/* Returns the kind of a packed record, enum swi_record_what, and sets its number, from its first
 * two fields. */
unsigned swi_record_kind(const void *record, size_t size, int64_t *number);

struct swi_row_message {
    const struct swi_fields *row;
    bool is_summary;
    int64_t step;   /* for a row of the history */
    int64_t number; /* of the record, at least 1 */
};

void swi_row_message_add(struct swi_text *to, const struct swi_row_message *message);

#endif
