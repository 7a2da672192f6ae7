/* SPDX-License-Identifier: MIT */
#include "sinks/wandb/upload/ask/ask.h"
#include "core/clock/now.h"
#include "net/json.h"
#include "net/surroundings.h"
#include "sinks/wandb/upload/content/write_json.h"

#include <fnmatch.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { NAMES = 64 }; /* names in one question */

/* A longer file is not sent again and again while it grows, only at the end. Its lines are on the
 * page anyway. */
enum { FRESH_MAX = 1 << 20 };

/* The longest wait for a file that is sent again anyway, and for the next try after several
 * failures. */
static const double refresh_s = 15, pause_max_s = 600;

/* ---- which ----------------------------------------------------------------------------------- */

static bool is_ignored(const char *patterns, const char *path)
{
    char *copied = strdup(patterns), *rest = copied;
    bool ignored = false;
    for (const char *pattern; copied && (pattern = strsep(&rest, ","));)
        ignored |= *pattern && fnmatch(pattern, path, 0) == 0;
    free(copied);
    return ignored;
}

/* ---- one file -------------------------------------------------------------------------------- */

/* Something to send: a file of the folder, or a text. */
struct content {
    const char *name;
    struct swi_text text; /* if it has data: this text */
    FILE *whole;          /* or this file, from its start */
    struct swi_model_file *file;
    uint64_t version, *sent; /* the version is written to *sent when it was sent */
};

/* Files fail one by one. A request to the run shows whether it still exists. */
static bool is_gone(struct swi_files *files)
{
    if (!files->asked && swi_file_stream_beat(files->stream, files->link, &files->gone) != SW_EIO)
        sw_error_free(&files->gone);
    files->asked = true;
    return files->gone.code != 0;
}

void swi_files_complain(struct swi_files *files, const char *what, const char *name,
                        const char *why)
{
    char before[32];
    files->failed++;
    if (is_gone(files))
        return;
    snprintf(before, sizeof before, "%s ", what);
    swi_warn_of(files->link->asker.say, files->link->asker.arg, before, name,
                " was not uploaded: ", why);
}

int swi_files_put(const struct swi_files *files, const char *url, const json_t *answer,
                  const struct swi_http_request *content, struct sw_error *err)
{
    const json_t *list = json_object_get(answer, "uploadHeaders");
    const char **header = calloc(json_array_size(list) + 1, sizeof *header);
    for (size_t i = 0, used = 0; header && i < json_array_size(list); i++)
        if (json_is_string(json_array_get(list, i)))
            header[used++] = json_string_value(json_array_get(list, i));
    struct swi_http_request request = *content;
    request.url = url;
    request.header = header;
    request.timeout_s = files->fresh ? refresh_s : files->link->service->file_s;
    enum swi_retry kind = files->fresh ? SWI_RETRY_NEVER : SWI_RETRY_FILE;
    int rc = swi_link_send(files->link, kind, &request, NULL, err);
    free(header);
    return rc;
}

static int put(struct swi_files *files, const struct content *content, const char *url,
               const json_t *answer, struct sw_error *err)
{
    struct stat status = {0};
    struct swi_http_request request = {
        .body = content->text.data, .fd = -1, .size = content->text.size};
    if (!request.body) {
        request.fd = content->whole
                         ? dup(fileno(content->whole))
                         : swi_plain_file_below(files->folder, "files", content->name, &status);
        if (request.fd >= 0 && content->whole && fstat(request.fd, &status) < 0) {
            close(request.fd);
            request.fd = -1;
        }
        if (request.fd < 0)
            return sw_error_set(err, SW_EIO, "it is no longer in the run's folder");
        request.size = (uint64_t)status.st_size;
    }
    int rc = swi_files_put(files, url, answer, &request, err);
    if (request.fd >= 0)
        close(request.fd);
    return rc;
}

/* Returns the upload address of a file, or "". */
static const char *url_of(const json_t *answer, const char *name)
{
    size_t i;
    const json_t *file;
    json_array_foreach(json_object_get(answer, "files"), i,
                       file) if (strcmp(swi_json_text_at(file, "name"), name) ==
                                 0) return swi_json_text_at(file, "uploadUrl");
    return "";
}

static int send_one(struct swi_files *files, const struct content *content, const json_t *answer,
                    struct sw_error *err)
{
    const char *url = url_of(answer, content->name);
    int rc = *url ? put(files, content, url, answer, err)
                  : sw_error_set(err, SW_EIO, "the server gives no address for it");
    if (rc == SW_ETIME)
        return rc;
    if (rc < 0 && files->fresh)
        return rc;
    if (content->file)
        content->file->done = !files->fresh;
    if (rc < 0) {
        swi_files_complain(files, "file", content->name, sw_error_text(err));
        sw_error_free(err);
        return 0;
    }
    files->sent++;
    if (content->sent)
        *content->sent = content->version;
    json_array_append_new(files->stream->uploaded, json_string(content->name));
    return 0;
}

/* ---- all that are due ------------------------------------------------------------------------ */

bool swi_files_late(struct swi_files *files)
{
    bool late = files->until_ns && swi_now_ns() >= files->until_ns;
    files->more |= late;
    return late;
}

static int send_batch(struct swi_files *files, const struct content *content, size_t count,
                      struct sw_error *err)
{
    json_t *names = json_array(), *answer = NULL;
    for (size_t i = 0; i < count; i++)
        json_array_append_new(names, json_string(content[i].name));
    enum swi_retry kind = files->fresh ? SWI_RETRY_NEVER : SWI_RETRY_GRAPHQL;
    int rc = count ? swi_api_urls(files->link, kind, files->bucket, names, &answer, err) : 0;
    for (size_t i = 0; i < count && rc == 0 && (i == 0 || !swi_files_late(files)); i++)
        rc = send_one(files, &content[i], answer, err);
    for (size_t i = 0; i < count && rc < 0 && rc != SW_ETIME && !files->fresh; i++) {
        swi_files_complain(files, "file", content[i].name, sw_error_text(err));
        if (content[i].file)
            content[i].file->done = true;
    }
    json_decref(names);
    json_decref(answer);
    if (rc == SW_ETIME || files->fresh)
        return rc;
    if (rc < 0)
        sw_error_free(err);
    return 0;
}

/* FNV-1a. Two texts have the same hash with a probability of 1 in 10^19. Never 0. */
static uint64_t version_of(const void *bytes, size_t size)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (const unsigned char *at = bytes; size--; at++)
        hash = (hash ^ *at) * UINT64_C(0x100000001b3);
    return hash ? hash : 1;
}

/* A change of the file changes one of these. Returns 0 if it is not sent now. */
static uint64_t file_version(const struct stat *status, bool fresh)
{
    if (fresh && status->st_size > FRESH_MAX)
        return 0;
    char all[96];
    int size = snprintf(all, sizeof all, "%jd %jd %jd %ld", (intmax_t)status->st_ino,
                        (intmax_t)status->st_size, (intmax_t)status->st_mtim.tv_sec,
                        status->st_mtim.tv_nsec);
    return version_of(all, (size_t)size);
}

/* Returns whether a file is due. Names of tables are unique, but a later process has the files at
 * the top of the folder too. */
static bool is_due(struct swi_files *files, struct swi_model_file *file, bool end,
                   uint64_t *version)
{
    struct stat status;
    bool now = end || files->fresh == file->at_end;
    if (file->done || !now || (files->older && !strchr(file->path, '/')))
        return false;
    int fd = is_ignored(files->link->service->ignored, file->path)
                 ? -1
                 : swi_plain_file_below(files->folder, "files", file->path, &status);
    *version = fd >= 0 ? file_version(&status, files->fresh) : 0;
    if (fd >= 0)
        close(fd);
    else if (end && !is_ignored(files->link->service->ignored, file->path))
        swi_files_complain(files, "file", file->path,
                           "it is not in the run's folder, or is not a regular file");
    file->done = fd < 0 && end;
    return fd >= 0 && *version && *version != file->version;
}

static int send_listed(struct swi_files *files, struct swi_model *model, bool end,
                       struct sw_error *err)
{
    struct content content[NAMES];
    size_t count = 0;
    int rc = 0;
    for (size_t i = 0; i < model->paths.count && rc == 0 && !files->more; i++) {
        struct swi_model_file *file = &model->file[i];
        uint64_t version;
        if (is_due(files, file, end, &version))
            content[count++] = (struct content){
                .name = file->path, .file = file, .version = version, .sent = &file->version};
        if (count == NAMES) {
            rc = send_batch(files, content, count, err);
            count = 0;
        }
    }
    return rc < 0 || files->more ? rc : send_batch(files, content, count, err);
}

/* If it does not fit on this machine's disk, that is reported, and it is not sent in part. */
static bool has_output(struct swi_files *files, const struct swi_model *model)
{
    bool listed = swi_map_find(&model->paths, "output.log", 10) >= 0;
    if (!files->output || listed || fseeko(files->output, 0, SEEK_END) < 0)
        return false;
    bool whole = fflush(files->output) == 0 && !ferror(files->output);
    if (!whole && !files->fresh)
        swi_files_complain(files, "file", "output.log", "there is no space to assemble it");
    return whole && ftello(files->output) > 0 &&
           (!files->fresh || ftello(files->output) <= FRESH_MAX);
}

/* Sends the files that the service's own client makes for a run, even for a run that was killed. */
static int send_made(struct swi_files *files, const struct swi_model *model, struct sw_error *err)
{
    struct content made[] = {
        {.name = "config.yaml"}, {.name = "wandb-summary.json"}, {.name = "wandb-metadata.json"}};
    struct content due[4];
    size_t count = 0;
    swi_model_yaml(model, &made[0].text);
    swi_model_summary(model, &made[1].text);
    swi_write_json(&made[2].text, model->environment);
    for (size_t i = 0; i < 3; i++) {
        made[i].sent = &files->made[i];
        made[i].version = version_of(made[i].text.data, made[i].text.size);
        if (!made[i].text.failed && made[i].text.size && made[i].version != files->made[i] &&
            !is_ignored(files->link->service->ignored, made[i].name))
            due[count++] = made[i];
    }
    if (has_output(files, model) && !is_ignored(files->link->service->ignored, "output.log") &&
        (uint64_t)ftello(files->output) != files->printed)
        due[count++] = (struct content){.name = "output.log",
                                        .whole = files->output,
                                        .version = (uint64_t)ftello(files->output),
                                        .sent = &files->printed};
    int rc = send_batch(files, due, count, err);
    for (size_t i = 0; i < 3; i++)
        swi_text_free(&made[i].text);
    return rc;
}

int swi_files_send(struct swi_files *files, struct swi_model *model, bool end, struct sw_error *err)
{
    int rc = send_listed(files, model, end, err);
    return rc == 0 && end && !files->older ? send_made(files, model, err) : rc;
}

/* Waits longer after each failure, so that an unreachable store does not delay the rows. */
static void refresh_failed(struct swi_files *files)
{
    files->pause_s = files->pause_s > 0 ? fmin(2 * files->pause_s, pause_max_s) : refresh_s;
    files->refresh_ns = swi_now_ns() + (int64_t)(files->pause_s * 1e9);
}

int swi_files_refresh(struct swi_files *files, struct swi_model *model, struct sw_error *err)
{
    int64_t begin_ns = swi_now_ns();
    if (files->older || begin_ns < files->refresh_ns)
        return 0;
    /* Many rows cause many posts, and files are sent after one of them per interval. It may be due
     * a little early. */
    files->refresh_ns = begin_ns + (int64_t)(files->interval_s * 0.9e9);
    files->fresh = true;
    int rc = send_listed(files, model, false, err);
    if (rc == 0)
        rc = send_made(files, model, err);
    files->fresh = false;
    if (rc < 0 && rc != SW_ETIME)
        refresh_failed(files);
    if (rc == 0)
        files->pause_s = 0;
    return rc == SW_ETIME ? rc : 0;
}
