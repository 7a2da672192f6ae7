/* SPDX-License-Identifier: MIT */
#include "sinks/wandb/upload/content/artifact_list.h"

#include "net/json.h"

#include <stdbool.h>
#include <string.h>

enum { LIST_MAX = 1000 };

static json_t *extra_of(const struct swi_manifest_entry_message *entry)
{
    json_t *extra = json_object();
    for (size_t i = 0; i < entry->n_extra; i++) {
        const char *json = entry->extra[i]->value_json;
        json_object_set_new(extra, entry->extra[i]->key, swi_json_read(json, strlen(json)));
    }
    return extra;
}

static void entries_take(json_t *list, const struct swi_manifest_message *manifest)
{
    for (size_t i = 0; i < manifest->n_contents; i++) {
        const struct swi_manifest_entry_message *entry = manifest->contents[i];
        json_array_append_new(list,
                              json_pack("{s:s, s:s, s:I, s:s, s:s, s:s, s:o}", "path", entry->path,
                                        "digest", entry->digest, "size", (json_int_t)entry->size,
                                        "local", entry->local_path, "ref", entry->ref, "born",
                                        entry->birth_artifact_id, "extra", extra_of(entry)));
    }
}

static void tags_take(json_t *list, const struct swi_artifact_message *record)
{
    for (size_t i = 0; i < record->n_tags; i++)
        json_array_append_new(list, json_pack("{s:s}", "tagName", record->tags[i]));
}

/* Returns why this upload cannot assemble an artifact: it is made of parts of several processes, or
 * of another artifact. Returns "" if it can. */
static const char *obstacle(const struct swi_artifact_message *record)
{
    if (!record->finalize || *record->distributed_id)
        return "other processes add to it";
    if (record->incremental_beta1 || *record->base_id)
        return "it adds to another artifact";
    return *record->manifest->manifest_file_path ? "the list of its files is in a file of its own"
                                                 : "";
}

static void aliases_take(json_t *list, const struct swi_artifact_message *record)
{
    for (size_t i = 0; i < record->n_aliases; i++)
        json_array_append_new(list, json_pack("{s:s, s:s}", "artifactCollectionName", record->name,
                                              "alias", record->aliases[i]));
}

static const char *said(const json_t *artifact, const char *name)
{
    return swi_json_text(json_object_get(artifact, name));
}

/* The begin of a run's file is read twice. */
static bool is_taken(const json_t *list, const char *client)
{
    size_t i;
    const json_t *artifact;
    json_array_foreach(list, i, artifact)
    {
        if (strcmp(said(artifact, "client"), client) == 0)
            return true;
    }
    return false;
}

void swi_artifact_list_add(json_t *list, const struct swi_artifact_message *record)
{
    if (!record->manifest || json_array_size(list) >= LIST_MAX || is_taken(list, record->client_id))
        return;
    json_t *artifact = json_pack(
        "{s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:[], s:[], s:[]}", "type", record->type, "name",
        record->name, "digest", record->digest, "client", record->client_id, "sequence",
        record->sequence_client_id, "description", record->description, "metadata",
        record->metadata, "obstacle", obstacle(record), "aliases", "tags", "entries");
    entries_take(json_object_get(artifact, "entries"), record->manifest);
    aliases_take(json_object_get(artifact, "aliases"), record);
    tags_take(json_object_get(artifact, "tags"), record);
    if (artifact)
        json_array_append_new(list, artifact);
}
