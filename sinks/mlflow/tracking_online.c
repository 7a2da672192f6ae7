/* SPDX-License-Identifier: MIT */
#include "sinks/mlflow/tracking_online.h"
#include "config.h"
#include "net/close_time.h"

#include <stdlib.h>
#include <string.h>

/* ---- may it go online? ----------------------------------------------------------------------- */

static const char *environment(void *arg, const char *name)
{
    return sw_sink_getenv(arg, name);
}

static void not_online(struct mlflow *m, const char *why)
{
    sw_sink_say(m->sink, 1, "%s; the run is only written to its journal", why);
    m->online = false;
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

static void server_find(struct mlflow *m)
{
    SW_ERROR_SCOPE(err);
    struct swi_tracking_server *server = &m->upload->server;
    m->online = true;
    if (swi_tracking_server_find(server, m->tracking_uri, environment, m->sink, &err) < 0)
        not_online(m, sw_error_text(&err));
    else if (!*server->base_url && strncmp(server->why, "MLFLOW_TRACKING_URI is not set", 30) == 0)
        m->online = false; /* said at the end, with how to upload */
    else if (!*server->base_url)
        not_online(m, server->why);
    else
        warn(m, server);
}

static void upload_free(struct mlflow *m)
{
    if (m->upload)
        swi_tracking_server_forget(&m->upload->server);
    free(m->upload);
    m->upload = NULL;
}

static void start(struct mlflow *m)
{
    SW_ERROR_SCOPE(err);
    m->upload->interval_s = (double)m->interval_ns * 1e-9;
    memcpy(m->upload->folder, m->folder, sizeof m->folder);
#ifdef HAVE_SEND
    m->live = swi_tracking_upload_start(m->upload, &err);
#else
    sw_error_set(&err, SW_ESINK, "this stepwatch was built without libcurl or jansson");
#endif
    if (!m->live)
        not_online(m, sw_error_text(&err));
}

void swi_mlflow_online_start(struct mlflow *m)
{
    if (strcmp(m->mode, "offline") == 0)
        return;
    m->upload = calloc(1, sizeof *m->upload);
    if (!m->upload) {
        not_online(m, "not enough memory for an upload");
        return;
    }
    server_find(m);
    if (m->online)
        start(m);
    upload_free(m);
}

/* ---- the upload ------------------------------------------------------------------------------ */

#ifdef HAVE_SEND
static void tell(void *arg, int level, const char *text)
{
    struct mlflow *m = arg;
    sw_sink_say(m->sink, level, "%s", text);
}

void swi_mlflow_online_flush(struct mlflow *m)
{
    if (!m->live)
        return;
    swi_tracking_upload_wake(m->live);
    swi_tracking_upload_hear(m->live, tell, m);
}

/* Waits for the end of the upload. */
static void upload_end(struct mlflow *m, bool written)
{
    bool whole = false;
    int64_t deadline_ns = swi_close_deadline_ns(m->sink->run, m->end_ns);
    int rc = swi_tracking_upload_end(m->live, deadline_ns, tell, m, &whole);
    m->live = NULL;
    if (rc != SW_ETIME && !(whole && written))
        sw_sink_say(m->sink, 1,
                    "not all of the run was uploaded; its journal is kept, upload the rest with: "
                    "stepwatch sync %s",
                    m->folder);
}
#else
void swi_mlflow_online_flush(struct mlflow *m)
{
    (void)m;
}

static void upload_end(const struct mlflow *m, bool written)
{
    (void)m;
    (void)written;
}
#endif

void swi_mlflow_online_close(struct mlflow *m, bool written)
{
    if (m->live)
        upload_end(m, written);
    else
        sw_sink_say(m->sink, 0,
                    "upload the run with: MLFLOW_TRACKING_URI=http://HOST:5000 stepwatch sync %s",
                    m->folder);
}
