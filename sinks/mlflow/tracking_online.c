/* SPDX-License-Identifier: MIT */
/* tracking_online.c - decides whether the run is uploaded while it is written. */
#include "sinks/mlflow/mlflow_sink.h"
#include "config.h"
#include "sinks/mlflow/upload/tracking_server.h"

#ifdef HAVE_SEND
#include "net/sender.h"
#include "sinks/mlflow/upload/run_upload.h"
#endif

#include <stdlib.h>
#include <string.h>

/* The thread may outlive the sink. */
struct swi_tracking_upload {
    char folder[PATH_MAX]; /* of the run */
    struct swi_tracking_server server;
#ifdef HAVE_SEND
    struct swi_run_upload run;
    struct swi_sender sender;
#endif
};

/* ---- may it go online? ----------------------------------------------------------------------- */

static void not_online(struct mlflow *m, const char *why)
{
    sw_sink_say(m->sink, 1, "%s; the run is only written to its journal", why);
}

static void warn(struct mlflow *m, const struct swi_tracking_server *server)
{
    if (server->open)
        sw_sink_say(m->sink, 1,
                    "%s: without https, others on the way can read the login and the values",
                    server->base_url);
    if (server->insecure)
        sw_sink_say(m->sink, 1,
                    "MLFLOW_TRACKING_INSECURE_TLS: certificates are not checked, so anyone between "
                    "here and the server can read the login");
}

/* Returns whether there is a server. If none is set, how to upload is said at the end. */
static bool server_find(struct mlflow *m, struct swi_tracking_server *server)
{
    SW_ERROR_SCOPE(err);
    if (swi_tracking_server_find(server, m->tracking_uri, swi_env_of_sink, m->sink, &err) < 0)
        not_online(m, sw_error_text(&err));
    else if (*server->base_url)
        warn(m, server);
    else if (strncmp(server->why, "MLFLOW_TRACKING_URI is not set", 30) != 0)
        not_online(m, server->why);
    return !err.code && *server->base_url;
}

static void upload_free(struct swi_tracking_upload *upload)
{
    swi_tracking_server_forget(&upload->server);
    free(upload);
}

/* ---- the upload ------------------------------------------------------------------------------ */

#ifdef HAVE_SEND
static int start(struct mlflow *m, struct swi_tracking_upload *upload, struct sw_error *err)
{
    const struct swi_run_upload_options options = {.folder = upload->folder,
                                                   .server = &upload->server,
                                                   .interval_s = (double)m->interval_ns * 1e-9,
                                                   .growing = true,
                                                   .open_end = true,
                                                   .say = swi_sender_say,
                                                   .arg = &upload->sender};
    memcpy(upload->folder, m->folder, sizeof m->folder);
    int rc = swi_run_upload_init(&upload->run, &options, err);
    if (rc != 0)
        return rc;
    rc = swi_sender_start(&upload->sender, "sw-mlflow-up", swi_run_upload_run, &upload->run, err);
    if (rc != 0)
        swi_run_upload_fini(&upload->run);
    return rc;
}

static void tell(void *arg, int level, const char *text)
{
    struct mlflow *m = arg;
    sw_sink_say(m->sink, level, "%s", text);
}

void swi_mlflow_online_flush(struct mlflow *m)
{
    if (!m->live)
        return;
    swi_pace_wake(&m->live->run.tracking.asker.pace);
    swi_sender_hear(&m->live->sender, tell, m);
}

static void upload_end(struct mlflow *m, struct swi_tracking_upload *upload, bool written)
{
    char late[PATH_MAX + 256];
    snprintf(late, sizeof late,
             "close_timeout passed before all of the run was uploaded; its journal is kept, upload "
             "the rest with: stepwatch sync %s",
             upload->folder);
    swi_run_upload_close(&upload->run);
    if (!swi_sender_end(&upload->sender, &upload->run.tracking.asker, m->sink->run, m->deadline_ns,
                        late, tell, m))
        return;
    int rc = upload->sender.rc;
    if (rc != SW_ETIME && !(rc == 0 && upload->run.state.done && written))
        sw_sink_say(m->sink, 1,
                    "not all of the run was uploaded; its journal is kept, upload the rest with: "
                    "stepwatch sync %s",
                    m->folder);
    swi_run_upload_fini(&upload->run);
    upload_free(upload);
}
#else
static int start(const struct mlflow *m, const struct swi_tracking_upload *upload,
                 struct sw_error *err)
{
    (void)m, (void)upload;
    return sw_error_set(err, SW_ESINK, "this stepwatch was built without libcurl or jansson");
}

void swi_mlflow_online_flush(struct mlflow *m)
{
    (void)m;
}

static void upload_end(const struct mlflow *m, const struct swi_tracking_upload *upload,
                       bool written)
{
    (void)m, (void)upload, (void)written;
}
#endif

void swi_mlflow_online_start(struct mlflow *m)
{
    SW_ERROR_SCOPE(err);
    if (strcmp(m->mode, "offline") == 0)
        return;
    struct swi_tracking_upload *upload = calloc(1, sizeof *upload);
    if (!upload) {
        not_online(m, "not enough memory for an upload");
        return;
    }
    if (server_find(m, &upload->server)) {
        if (start(m, upload, &err) == 0)
            m->live = upload;
        else
            not_online(m, sw_error_text(&err));
    }
    if (!m->live)
        upload_free(upload);
}

void swi_mlflow_online_close(struct mlflow *m, bool written)
{
    if (m->live)
        upload_end(m, m->live, written);
    else
        sw_sink_say(m->sink, 0,
                    "upload the run with: MLFLOW_TRACKING_URI=http://HOST:5000 stepwatch sync %s",
                    m->folder);
    m->live = NULL;
}
