/* SPDX-License-Identifier: MIT */
/* artifacts.c - sends tables as artifacts, where the service's pages look for them. */
#include "sinks/wandb/upload/ask/ask.h"
#include "core/text/opened.h"
#include "core/text/parts.h"
#include "net/json.h"
#include "net/surroundings.h"
#include "sinks/wandb/values/artifact.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- questions ------------------------------------------------------------------------------- */

/* An artifact that is being created at the service. */
struct made {
    struct swi_files *files;
    const json_t *artifact;
    char *id;       /* of the artifact */
    char *manifest; /* of its manifest */
    bool there;     /* the service has it already */
};

/* Adds fields that most artifacts do not have, and that older servers may not know. */
static void more_put(json_t *input, const json_t *artifact)
{
    static const char *const texts[] = {"description", "metadata"};
    json_t *tags = json_object_get(artifact, "tags");
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (*swi_json_text_at(artifact, texts[i]))
            json_object_set(input, texts[i], json_object_get(artifact, texts[i]));
    if (json_array_size(tags))
        json_object_set(input, "tags", tags);
}

static int create(struct made *made, struct sw_error *err)
{
    static const char document[] =
        "mutation CreateArtifact($input: CreateArtifactInput!) { createArtifact(input: $input) { "
        "artifact { id state artifactSequence { latestArtifact { id } } } } }";
    const struct swi_bucket *bucket = made->files->bucket;
    json_t *data = NULL;
    json_t *variables =
        json_pack("{s:{s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:O, s:s, s:s, s:b}}", "input",
                  "artifactTypeName", swi_json_text_at(made->artifact, "type"),
                  "artifactCollectionName", swi_json_text_at(made->artifact, "name"), "entityName",
                  bucket->entity, "projectName", bucket->project, "runName", bucket->id, "digest",
                  swi_json_text_at(made->artifact, "digest"), "digestAlgorithm", "MANIFEST_MD5",
                  "aliases", json_object_get(made->artifact, "aliases"), "clientID",
                  swi_json_text_at(made->artifact, "client"), "sequenceClientID",
                  swi_json_text_at(made->artifact, "sequence"), "enableDigestDeduplication", 1);
    more_put(json_object_get(variables, "input"), made->artifact);
    int rc = swi_api_ask(made->files->link, SWI_RETRY_GRAPHQL, "CreateArtifact", document,
                         variables, &data, err);
    const json_t *artifact = swi_json_at(data, "createArtifact", "artifact");
    if (rc == 0 && !swi_model_set(&made->id, swi_json_text_at(artifact, "id")))
        rc = sw_error_set(err, SW_ENOMEM, "out of memory");
    else if (rc == 0 && !*made->id)
        rc = sw_error_set(err, SW_EIO, "the server does not say what it created");
    made->there = rc == 0 && strcmp(swi_json_text_at(artifact, "state"), "COMMITTED") == 0;
    json_decref(data);
    return rc;
}

/* Creates the manifest. With a digest, also asks for its upload address, in answer, which the
 * caller frees. */
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
    const json_t *manifest = swi_json_at(data, "createArtifactManifest", "artifactManifest");
    if (rc == 0 && !swi_model_set(&made->manifest, swi_json_text_at(manifest, "id")))
        rc = sw_error_set(err, SW_ENOMEM, "out of memory");
    if (rc == 0 && answer)
        *answer = json_incref(json_object_get(manifest, "file"));
    json_decref(data);
    return rc;
}

/* Asks for the upload address of a file, in answer, which the caller frees. */
static int create_file(struct made *made, const json_t *entry, json_t **answer,
                       struct sw_error *err)
{
    static const char document[] =
        "mutation CreateArtifactFiles($input: CreateArtifactFilesInput!) { "
        "createArtifactFiles(input: $input) { files { edges { node { storagePath uploadUrl "
        "uploadHeaders artifact { id } } } } } }";
    json_t *data = NULL;
    json_t *variables = json_pack("{s:{s:[{s:s, s:s, s:s, s:s}], s:s}}", "input", "artifactFiles",
                                  "artifactID", made->id, "artifactManifestID", made->manifest,
                                  "name", swi_json_text_at(entry, "path"), "md5",
                                  swi_json_text_at(entry, "digest"), "storageLayout", "V2");
    int rc = swi_api_ask(made->files->link, SWI_RETRY_GRAPHQL, "CreateArtifactFiles", document,
                         variables, &data, err);
    const json_t *edges = swi_json_at(data, "createArtifactFiles", "files", "edges");
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

/* ---- files ----------------------------------------------------------------------------------- */

/* Opens a file directly in the SDK's folder for such files. Returns -1 for any other path: the
 * run's file may come from anywhere, and must not cause other files of this machine to be sent. */
static int staged_open(const char *staging, const char *path)
{
    size_t size = staging ? strlen(staging) : 0;
    if (!size || strncmp(path, staging, size) != 0 || path[size] != '/' ||
        strchr(path + size + 1, '/'))
        return -1;
    SWI_CLOSED int folder = open(staging, O_PATH | O_DIRECTORY | O_CLOEXEC);
    return folder < 0
               ? -1
               : openat(folder, path + size + 1, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
}

/* Opens the file of an entry and sets its size. Returns -1 if it does not exist. */
static int entry_open(const struct swi_files *files, const json_t *entry, uint64_t *size)
{
    struct stat status;
    const char *local = swi_json_text_at(entry, "local");
    int fd = swi_plain_file_below(files->folder, "artifacts", swi_last_part(local), &status);
    if (fd < 0)
        fd = staged_open(files->staging, local);
    *size = 0;
    if (fd < 0)
        return -1;
    if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode) &&
        status.st_size == json_integer_value(json_object_get(entry, "size"))) {
        *size = (uint64_t)status.st_size;
        return fd;
    }
    close(fd);
    return -1;
}

static bool has_file(const json_t *entry)
{
    return !*swi_json_text_at(entry, "ref") && !*swi_json_text_at(entry, "born");
}

/* Checks the file before the artifact is created: an incomplete artifact would stay at the service
 * for ever. */
static int entry_check(const struct swi_files *files, const json_t *entry, struct sw_error *err)
{
    char md5[25] = "";
    uint64_t size;
    SWI_CLOSED int fd = entry_open(files, entry, &size);
    bool whole =
        fd >= 0 && swi_md5_file(fd, md5) && strcmp(md5, swi_json_text_at(entry, "digest")) == 0;
    if (whole)
        return 0;
    return sw_error_set(
        err, SW_EIO,
        "its file %.200s is not in the run's folder artifacts/ unchanged, nor in the SDK's folder "
        "of staged files; if it is elsewhere, wandb sync can upload it",
        swi_json_text_at(entry, "path"));
}

static int artifact_check(const struct swi_files *files, const json_t *artifact,
                          struct sw_error *err)
{
    size_t i;
    const json_t *entry;
    int rc = 0;
    if (*swi_json_text_at(artifact, "obstacle"))
        return sw_error_set(err, SW_EIO, "%s, which only wandb sync can upload",
                            swi_json_text_at(artifact, "obstacle"));
    json_array_foreach(json_object_get(artifact, "entries"), i, entry)
    {
        if (rc == 0 && has_file(entry))
            rc = entry_check(files, entry, err);
    }
    return rc;
}

/* ---- bytes ----------------------------------------------------------------------------------- */

/* Uploads to the address in an answer. If there is none, the service has the file already. */
static int put(const struct made *made, const json_t *answer,
               const struct swi_http_request *content, struct sw_error *err)
{
    const char *url = swi_json_text_at(answer, "uploadUrl");
    return *url ? swi_files_put(made->files, url, answer, content, err) : 0;
}

static int file_send(struct made *made, const json_t *entry, struct sw_error *err)
{
    uint64_t size;
    json_t *answer = NULL;
    SWI_CLOSED int fd = entry_open(made->files, entry, &size);
    int rc = fd < 0 ? sw_error_set(err, SW_EIO, "its file %s no longer exists",
                                   swi_json_text_at(entry, "path"))
                    : create_file(made, entry, &answer, err);
    const struct swi_http_request request = {.fd = fd, .size = size};
    if (rc == 0)
        rc = put(made, answer, &request, err);
    json_decref(answer);
    return rc;
}

/* An entry with a birth artifact is a separate file; a reference is not. */
static json_t *manifest_entry(const struct made *made, const json_t *entry)
{
    json_t *extra = json_object_get(entry, "extra");
    json_t *said_of = json_pack("{s:s, s:O}", "digest", swi_json_text_at(entry, "digest"), "size",
                                json_object_get(entry, "size"));
    if (*swi_json_text_at(entry, "ref"))
        json_object_set(said_of, "ref", json_object_get(entry, "ref"));
    else
        json_object_set_new(said_of, "birthArtifactID",
                            json_string(*swi_json_text_at(entry, "born")
                                            ? swi_json_text_at(entry, "born")
                                            : made->id));
    if (json_object_size(extra))
        json_object_set(said_of, "extra", extra);
    return said_of;
}

static char *manifest_text(const struct made *made)
{
    size_t i;
    const json_t *entry;
    json_t *contents = json_object();
    json_array_foreach(json_object_get(made->artifact, "entries"), i, entry)
        json_object_set_new(contents, swi_json_text_at(entry, "path"), manifest_entry(made, entry));
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
        return sw_error_set(err, SW_ENOMEM, "out of memory");
    swi_md5_base64(text, strlen(text), md5);
    const struct swi_http_request request = {.body = text, .fd = -1, .size = strlen(text)};
    int rc = create_manifest(made, md5, &answer, err);
    if (rc == 0)
        rc = put(made, answer, &request, err);
    json_decref(answer);
    free(text);
    return rc;
}

/* ---- all of them ----------------------------------------------------------------------------- */

static int files_send(struct made *made, struct sw_error *err)
{
    size_t i;
    const json_t *entry;
    int rc = create_manifest(made, "", NULL, err);
    json_array_foreach(json_object_get(made->artifact, "entries"), i, entry)
    {
        if (rc == 0 && has_file(entry))
            rc = file_send(made, entry, err);
    }
    if (rc == 0)
        rc = manifest_send(made, err);
    return rc == 0 ? commit(made, err) : rc;
}

static int send_one(struct swi_files *files, const json_t *artifact, struct sw_error *err)
{
    struct made made = {.files = files, .artifact = artifact};
    int rc = artifact_check(files, artifact, err);
    if (rc == 0)
        rc = create(&made, err);
    if (rc == 0 && !made.there)
        rc = files_send(&made, err);
    free(made.id);
    free(made.manifest);
    if (rc == SW_ETIME)
        return rc;
    if (rc < 0) {
        swi_files_complain(files, "artifact", swi_json_text_at(artifact, "name"),
                           sw_error_text(err));
        sw_error_free(err);
    }
    return 0;
}

int swi_artifacts_send(struct swi_files *files, json_t *list, struct sw_error *err)
{
    size_t i;
    json_t *artifact;
    int rc = 0;
    json_array_foreach(list, i, artifact)
    {
        if (rc == 0 && !json_object_get(artifact, "done") && !swi_files_late(files)) {
            rc = send_one(files, artifact, err);
            if (rc == 0)
                json_object_set_new(artifact, "done", json_true());
        }
    }
    return rc;
}
