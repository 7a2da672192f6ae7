/* SPDX-License-Identifier: MIT */
#include "sinks/wandb/upload/artifacts.h"
#include "sinks/wandb/md5.h"
#include "sinks/wandb/upload/json.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LIST_MAX = 1000 };

/* ---- what the run's file says -------------------------------------------------------------------
 */

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static void entries_take(json_t *list, const SwiWandb__Manifest *manifest)
{
    for (size_t i = 0; i < manifest->n_contents; i++) {
        const SwiWandb__ManifestEntry *entry = manifest->contents[i];
        json_array_append_new(list, json_pack("{s:s, s:s, s:I, s:s}", "path", entry->path, "digest",
                                              entry->digest, "size", (json_int_t)entry->size,
                                              "local", base_name(entry->local_path)));
    }
}

static void aliases_take(json_t *list, const SwiWandb__Artifact *record)
{
    for (size_t i = 0; i < record->n_aliases; i++)
        json_array_append_new(list, json_pack("{s:s, s:s}", "artifactCollectionName", record->name,
                                              "alias", record->aliases[i]));
}

static const char *said(const json_t *artifact, const char *name)
{
    return swi_json_text(json_object_get(artifact, name));
}

/* A run's begin is read twice. */
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

void swi_artifacts_take(json_t *list, const SwiWandb__Artifact *record)
{
    if (!record->manifest || !record->finalize || json_array_size(list) >= LIST_MAX ||
        is_taken(list, record->client_id))
        return;
    json_t *artifact =
        json_pack("{s:s, s:s, s:s, s:s, s:s, s:[], s:[]}", "type", record->type, "name",
                  record->name, "digest", record->digest, "client", record->client_id, "sequence",
                  record->sequence_client_id, "aliases", "entries");
    entries_take(json_object_get(artifact, "entries"), record->manifest);
    aliases_take(json_object_get(artifact, "aliases"), record);
    if (artifact)
        json_array_append_new(list, artifact);
}

/* ---- questions ----------------------------------------------------------------------------------
 */

/* What an artifact becomes at the service. */
struct made {
    struct swi_files *files;
    const json_t *artifact;
    char *id;       /* of the artifact */
    char *manifest; /* its manifest's */
    bool there;     /* the service has it already */
};

static int create(struct made *made, struct sw_error *err)
{
    static const char document[] =
        "mutation CreateArtifact($input: CreateArtifactInput!) { createArtifact(input: $input) { "
        "artifact { id state artifactSequence { latestArtifact { id } } } } }";
    const struct swi_bucket *bucket = made->files->bucket;
    json_t *data = NULL;
    json_t *variables = json_pack(
        "{s:{s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:O, s:s, s:s, s:b}}", "input", "artifactTypeName",
        said(made->artifact, "type"), "artifactCollectionName", said(made->artifact, "name"),
        "entityName", bucket->entity, "projectName", bucket->project, "runName", bucket->id,
        "digest", said(made->artifact, "digest"), "digestAlgorithm", "MANIFEST_MD5", "aliases",
        json_object_get(made->artifact, "aliases"), "clientID", said(made->artifact, "client"),
        "sequenceClientID", said(made->artifact, "sequence"), "enableDigestDeduplication", 1);
    int rc = swi_api_ask(made->files->link, SWI_RETRY_GRAPHQL, "CreateArtifact", document,
                         variables, &data, err);
    const json_t *artifact = swi_json_at(data, "createArtifact", "artifact", NULL);
    if (rc == 0 && !swi_model_set(&made->id, said(artifact, "id")))
        rc = sw_error_set(err, SW_ENOMEM, "no memory");
    if (rc == 0 && !*made->id)
        rc = sw_error_set(err, SW_EIO, "the server does not say what it made");
    made->there = rc == 0 && strcmp(said(artifact, "state"), "COMMITTED") == 0;
    json_decref(data);
    return rc;
}

/* With a digest, a place for the manifest is asked for: answer has it, the caller's. */
static int create_manifest(struct made *made, const char *digest, json_t **answer,
                           struct sw_error *err)
{
    static const char document[] =
        "mutation CreateArtifactManifest($artifactID: ID!, $name: String!, $digest: String!, "
        "$entityName: String!, $projectName: String!, $runName: String!, "
        "$manifestType: ArtifactManifestType!, $includeUpload: Boolean!) { "
        "createArtifactManifest(input: {artifactID: $artifactID, name: $name, digest: $digest, "
        "entityName: $entityName, projectName: $projectName, runName: $runName, "
        "type: $manifestType}) { artifactManifest { id file { id "
        "uploadUrl @include(if: $includeUpload) uploadHeaders @include(if: $includeUpload) } } } }";
    const struct swi_bucket *bucket = made->files->bucket;
    json_t *data = NULL;
    json_t *variables =
        json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:b}", "artifactID", made->id, "name",
                  "wandb_manifest.json", "digest", digest, "entityName", bucket->entity,
                  "projectName", bucket->project, "runName", bucket->id, "manifestType", "FULL",
                  "includeUpload", (int)(*digest != '\0'));
    int rc = swi_api_ask(made->files->link, SWI_RETRY_GRAPHQL, "CreateArtifactManifest", document,
                         variables, &data, err);
    const json_t *manifest = swi_json_at(data, "createArtifactManifest", "artifactManifest", NULL);
    if (rc == 0 && !swi_model_set(&made->manifest, said(manifest, "id")))
        rc = sw_error_set(err, SW_ENOMEM, "no memory");
    if (rc == 0 && answer)
        *answer = json_incref(json_object_get(manifest, "file"));
    json_decref(data);
    return rc;
}

/* Where a file goes: answer, the caller's. */
static int create_file(struct made *made, const json_t *entry, json_t **answer,
                       struct sw_error *err)
{
    static const char document[] =
        "mutation CreateArtifactFiles($input: CreateArtifactFilesInput!) { "
        "createArtifactFiles(input: $input) { files { edges { node { storagePath uploadUrl "
        "uploadHeaders artifact { id } } } } } }";
    json_t *data = NULL;
    json_t *variables =
        json_pack("{s:{s:[{s:s, s:s, s:s, s:s}], s:s}}", "input", "artifactFiles", "artifactID",
                  made->id, "artifactManifestID", made->manifest, "name", said(entry, "path"),
                  "md5", said(entry, "digest"), "storageLayout", "V2");
    int rc = swi_api_ask(made->files->link, SWI_RETRY_GRAPHQL, "CreateArtifactFiles", document,
                         variables, &data, err);
    const json_t *edges = swi_json_at(data, "createArtifactFiles", "files", "edges", NULL);
    if (rc == 0)
        *answer = json_incref(json_object_get(json_array_get(edges, 0), "node"));
    json_decref(data);
    return rc;
}

static int commit(struct made *made, struct sw_error *err)
{
    static const char document[] =
        "mutation CommitArtifact($artifactID: ID!) { "
        "commitArtifact(input: {artifactID: $artifactID}) { artifact { id digest } } }";
    json_t *data = NULL;
    int rc = swi_api_ask(made->files->link, SWI_RETRY_GRAPHQL, "CommitArtifact", document,
                         json_pack("{s:s}", "artifactID", made->id), &data, err);
    json_decref(data);
    return rc;
}

/* ---- bytes --------------------------------------------------------------------------------------
 */

/* To the place that an answer names; one that names none has the file already. */
static int put(struct made *made, const json_t *answer, struct swi_http_request *request,
               struct sw_error *err)
{
    request->url = said(answer, "uploadUrl");
    if (!*request->url)
        return 0;
    const char **header = swi_files_headers(answer);
    request->header = header;
    request->timeout_s = made->files->link->file_s;
    int rc = swi_link_send_text(made->files->link, SWI_RETRY_FILE, request, NULL, err);
    free(header);
    return rc;
}

static int file_send(struct made *made, const json_t *entry, struct sw_error *err)
{
    struct stat status;
    json_t *answer = NULL;
    int fd = swi_files_open(made->files->folder, "artifacts", said(entry, "local"));
    int rc =
        fd < 0 || fstat(fd, &status) < 0 ||
                status.st_size != json_integer_value(json_object_get(entry, "size"))
            ? sw_error_set(err, SW_EIO, "its file is not in the run's folder artifacts/ as it was")
            : create_file(made, entry, &answer, err);
    struct swi_http_request request = {.fd = fd, .size = rc == 0 ? (uint64_t)status.st_size : 0};
    if (rc == 0)
        rc = put(made, answer, &request, err);
    json_decref(answer);
    if (fd >= 0)
        close(fd);
    return rc;
}

static char *manifest_text(const struct made *made)
{
    size_t i;
    const json_t *entry;
    json_t *contents = json_object();
    json_array_foreach(json_object_get(made->artifact, "entries"), i, entry)
        json_object_set_new(contents, said(entry, "path"),
                            json_pack("{s:s, s:O, s:s}", "digest", said(entry, "digest"), "size",
                                      json_object_get(entry, "size"), "birthArtifactID", made->id));
    json_t *manifest = json_pack("{s:i, s:s, s:{s:s}, s:o}", "version", 1, "storagePolicy",
                                 "wandb-storage-policy-v1", "storagePolicyConfig", "storageLayout",
                                 "V2", "contents", contents);
    char *text = manifest ? json_dumps(manifest, JSON_COMPACT) : NULL;
    json_decref(manifest);
    return text;
}

static int manifest_send(struct made *made, struct sw_error *err)
{
    char md5[25], *text = manifest_text(made);
    json_t *answer = NULL;
    if (!text)
        return sw_error_set(err, SW_ENOMEM, "no memory");
    swi_md5_base64(text, strlen(text), md5);
    struct swi_http_request request = {.body = text, .fd = -1, .size = strlen(text)};
    int rc = create_manifest(made, md5, &answer, err);
    if (rc == 0)
        rc = put(made, answer, &request, err);
    json_decref(answer);
    free(text);
    return rc;
}

/* ---- all of them --------------------------------------------------------------------------------
 */

static int files_send(struct made *made, struct sw_error *err)
{
    size_t i;
    const json_t *entry;
    int rc = create_manifest(made, "", NULL, err);
    json_array_foreach(json_object_get(made->artifact, "entries"), i, entry)
    {
        if (rc == 0)
            rc = file_send(made, entry, err);
    }
    if (rc == 0)
        rc = manifest_send(made, err);
    return rc == 0 ? commit(made, err) : rc;
}

static int send_one(struct swi_files *files, const json_t *artifact, struct sw_error *err)
{
    struct made made = {.files = files, .artifact = artifact};
    int rc = create(&made, err);
    if (rc == 0 && !made.there)
        rc = files_send(&made, err);
    free(made.id);
    free(made.manifest);
    if (rc < 0 && rc != SW_ETIME)
        swi_files_complain(files, "artifact", said(artifact, "name"), err->text);
    return rc == SW_ETIME ? rc : 0;
}

int swi_artifacts_send(struct swi_files *files, json_t *list, struct sw_error *err)
{
    size_t i;
    json_t *artifact;
    int rc = 0;
    json_array_foreach(list, i, artifact)
    {
        if (rc == 0 && !json_object_get(artifact, "done")) {
            rc = send_one(files, artifact, err);
            if (rc == 0)
                json_object_set_new(artifact, "done", json_true());
        }
    }
    return rc;
}
