/* SPDX-License-Identifier: MIT */
#include "sinks/mlflow/upload/send_run_files.h"
#include "core/text/escape.h"
#include "sinks/common/upload/json.h"
#include "sinks/mlflow/upload/journal_lines.h"
#include "sinks/mlflow/upload/send_batch.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char scheme[] = "mlflow-artifacts:/";

/* ---- where to -----------------------------------------------------------------------------------
 */

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

/* ---- one file -----------------------------------------------------------------------------------
 */

static void complain(struct swi_run_upload *upload, const char *name, const char *why)
{
    char text[1200];
    struct swi_text safe = {0};
    swi_escape_terminal(&safe, name);
    snprintf(text, sizeof text, "the file %.300s was not uploaded: %.800s",
             safe.data ? safe.data : "", why);
    swi_text_free(&safe);
    upload->files_failed++;
    upload->options.say(upload->options.arg, 1, text);
}

/* Only a cancelled upload ends the others. */
static int judge(struct swi_run_upload *upload, const char *name, int rc, int status,
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

static int text_send(struct swi_run_upload *upload, const char *name, const struct swi_text *text,
                     struct sw_error *err)
{
    struct swi_text place = {0};
    int status = 0, rc = 0;
    if (place_add(&place, upload, name))
        rc = swi_tracking_put_text(&upload->tracking, place.data, text, &status, err);
    if (place.data)
        rc = judge(upload, name, rc, status, err);
    swi_text_free(&place);
    return rc;
}

/* The name comes from the journal, which may come from anywhere: it stays in the folder. */
static bool is_below(const char *name)
{
    bool good = *name && *name != '/';
    for (const char *at = name; good && at; at = strchr(at, '/') ? strchr(at, '/') + 1 : NULL)
        good = strncmp(at, "../", 3) != 0 && strcmp(at, "..") != 0;
    return good;
}

static int file_open(struct swi_run_upload *upload, const char *name, uint64_t *size)
{
    char path[PATH_MAX + 512];
    struct stat status;
    snprintf(path, sizeof path, "%s/%.500s", upload->options.folder, name);
    int fd = is_below(name) ? open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK) : -1;
    if (fd >= 0 && (fstat(fd, &status) < 0 || !S_ISREG(status.st_mode))) {
        close(fd);
        return -1;
    }
    *size = fd >= 0 ? (uint64_t)status.st_size : 0;
    return fd;
}

static int file_send(struct swi_run_upload *upload, const char *name, bool optional,
                     struct sw_error *err)
{
    struct swi_text place = {0};
    uint64_t size = 0;
    int status = 0, rc = 0, fd = file_open(upload, name, &size);
    bool placed = fd >= 0 && place_add(&place, upload, name);
    if (placed) {
        rc = swi_tracking_put(&upload->tracking, place.data, fd, size, &status, err);
        rc = judge(upload, name, rc, status, err);
    } else if (fd < 0 && !optional) {
        complain(upload, name, "it is not a regular file in the run's folder");
    }
    if (fd >= 0)
        close(fd);
    swi_text_free(&place);
    return rc;
}

/* ---- all of them --------------------------------------------------------------------------------
 */

/* Lets the server's page show the report as a table. */
static int table_tell(struct swi_run_upload *upload, struct sw_error *err)
{
    static const char value[] = "[{\"path\": \"profile_report.json\", \"type\": \"table\"}]";
    int rc = swi_tag_send(upload, "mlflow.loggedArtifacts", value, err);
    if (rc != SW_EIO)
        return rc;
    sw_error_free(err);
    return 0;
}

static int report_send(struct swi_run_upload *upload, struct sw_error *err)
{
    struct swi_text table = {0};
    if (!upload->told.report)
        return 0;
    int rc = upload->no_files ? 0 : file_send(upload, "report.md", true, err);
    swi_line_table(&table, upload->told.report);
    if (rc == 0 && !upload->no_files && !table.failed)
        rc = text_send(upload, "profile_report.json", &table, err);
    swi_text_free(&table);
    if (rc == 0 && !upload->no_files)
        rc = table_tell(upload, err);
    if (rc != 0)
        return rc;
    json_decref(upload->told.report);
    upload->told.report = NULL;
    return 0;
}

int swi_run_files_send(struct swi_run_upload *upload, struct sw_error *err)
{
    size_t i;
    json_t *name;
    int rc = 0;
    json_array_foreach(upload->files, i, name)
    {
        if (rc == 0 && !upload->no_files)
            rc = file_send(upload, swi_json_text(name), false, err);
    }
    if (rc == 0)
        json_array_clear(upload->files);
    return rc == 0 ? report_send(upload, err) : rc;
}
