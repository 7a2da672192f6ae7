/* SPDX-License-Identifier: MIT */
/* send_run_files.c - sends the files of a run, and its report as files, as artifacts. */
#include "sinks/mlflow/upload/run_upload.h"
#include "core/text/escape.h"
#include "net/http_headers.h"
#include "net/json.h"
#include "net/surroundings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char scheme[] = "mlflow-artifacts:/";

/* ---- where to -------------------------------------------------------------------------------- */

static void none_say(struct swi_run_upload *upload, const char *why)
{
    char text[PATH_MAX + 256];
    if (!upload->no_files) {
        snprintf(text, sizeof text, "%s, so the files of the run stay in %s", why,
                 upload->options.folder);
        upload->options.say(upload->options.arg, 1, text);
    }
    upload->no_files = true;
}

/* Adds the path of a file at the server. Returns false if it does not keep the files itself. */
static bool place_add(struct swi_text *place, struct swi_run_upload *upload, const char *name)
{
    const char *uri = upload->state.artifacts, *rest = uri + strlen(scheme);
    if (strncmp(uri, scheme, strlen(scheme)) != 0 || *rest == '/') {
        none_say(upload, "the server keeps files at another place");
        return false;
    }
    swi_text_format(place, "/api/2.0/mlflow-artifacts/artifacts/%s/", rest);
    for (; *name; name += *name == '/') {
        size_t size = strcspn(name, "/");
        char *part = strndup(name, size);
        swi_http_escape(place, part ? part : "");
        swi_text_put(place, name[size] ? "/" : "");
        place->failed |= !part;
        free(part);
        name += size;
    }
    return !place->failed;
}

/* ---- one file -------------------------------------------------------------------------------- */

static void complain(struct swi_run_upload *upload, const char *name, const char *why)
{
    upload->files_failed++;
    swi_warn_of(upload->options.say, upload->options.arg, "the file ", name,
                " was not uploaded: ", why);
}

/* Only a cancelled upload ends the others. */
static int file_result(struct swi_run_upload *upload, const char *name, int rc, int status,
                       struct sw_error *err)
{
    if (rc == SW_ETIME)
        return rc;
    if (rc == 0)
        upload->files_sent++;
    else if (status == 404 || status == 405)
        none_say(upload, "the server takes no files");
    else
        complain(upload, name, sw_error_text(err));
    sw_error_free(err);
    return 0;
}

/* name: at the server. body, fd and size: as of swi_tracking_put(). */
static int content_send(struct swi_run_upload *upload, const char *name, const char *body, int fd,
                        uint64_t size, struct sw_error *err)
{
    struct swi_text place = {0};
    int status = 0, rc = 0;
    if (place_add(&place, upload, name)) {
        rc = swi_tracking_put(&upload->tracking, place.data, body, fd, size, &status, err);
        rc = file_result(upload, name, rc, status, err);
    }
    swi_text_free(&place);
    return rc;
}

/* name: at the server. path: in the run's folder, or in the folder `below` there. */
static int file_send(struct swi_run_upload *upload, const char *name, const char *below,
                     const char *path, bool optional, struct sw_error *err)
{
    struct stat found;
    if (upload->no_files)
        return 0;
    int fd = swi_plain_file_below(upload->options.folder, below, path, &found);
    int rc = fd < 0 ? 0 : content_send(upload, name, NULL, fd, (uint64_t)found.st_size, err);
    if (fd >= 0)
        close(fd);
    else if (!optional)
        complain(upload, name, "it is not a regular file in the run's folder");
    return rc;
}

/* ---- all of them ----------------------------------------------------------------------------- */

/* The tag as the client writes it. Returns how many tables fit. */
static size_t tables_tag(struct swi_text *tag, const struct swi_run_upload *upload)
{
    size_t i;
    json_t *path;
    swi_text_put(tag, "[");
    json_array_foreach(upload->tables, i, path)
    {
        size_t before = tag->size;
        swi_json_format(tag,
                        i ? ", {\"path\": %s, \"type\": \"table\"}"
                          : "{\"path\": %s, \"type\": \"table\"}",
                        swi_json_text(path));
        if (tag->size < SWI_TAG_MAX)
            continue;
        tag->size = before;
        break;
    }
    swi_text_put(tag, "]");
    return i;
}

static void cut_say(struct swi_run_upload *upload, size_t shown)
{
    char text[160];
    snprintf(text, sizeof text,
             "the page of the run shows only the first %zu of its tables as such; the files of all "
             "are there",
             shown);
    if (shown < json_array_size(upload->tables) && !upload->tables_cut)
        upload->options.say(upload->options.arg, 0, text);
    upload->tables_cut |= shown < json_array_size(upload->tables);
}

/* Lets the server's page show tables as such. */
static int tables_tell(struct swi_run_upload *upload, struct sw_error *err)
{
    struct swi_text tag = {0};
    if (!upload->tables_grown || upload->no_files)
        return 0;
    cut_say(upload, tables_tag(&tag, upload));
    int rc = tag.failed ? 0 : swi_tag_send(upload, "mlflow.loggedArtifacts", tag.data, NULL, err);
    swi_text_free(&tag);
    upload->tables_grown = rc != 0;
    if (rc != SW_EIO)
        return rc;
    sw_error_free(err);
    return 0;
}

static int report_send(struct swi_run_upload *upload, struct sw_error *err)
{
    struct swi_text table = {0};
    if (!upload->described.report)
        return 0;
    int rc = file_send(upload, "report.md", "", "report.md", true, err);
    swi_line_table(&table, upload->described.report);
    if (rc == 0 && !upload->no_files && !table.failed)
        rc = content_send(upload, "profile_report.json", table.data, -1, table.size, err);
    swi_text_free(&table);
    if (rc != 0)
        return rc;
    json_decref(upload->described.report);
    upload->described.report = NULL;
    return 0;
}

int swi_run_output_send(struct swi_run_upload *upload, struct sw_error *err)
{
    return file_send(upload, "output.log", "artifacts", "output.log", true, err);
}

int swi_run_files_send(struct swi_run_upload *upload, struct sw_error *err)
{
    const char *name;
    json_t *file;
    int rc = 0;
    json_object_foreach(upload->files, name, file)
    {
        if (rc == 0)
            rc = file_send(upload, name, "artifacts", swi_json_text(file), false, err);
    }
    if (rc == 0)
        json_object_clear(upload->files);
    if (rc == 0)
        rc = report_send(upload, err);
    return rc == 0 ? tables_tell(upload, err) : rc;
}
