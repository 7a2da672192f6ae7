/* SPDX-License-Identifier: MIT */
#include "sinks/mlflow/upload/upload_thread.h"
#include "core/clock/now.h"
#include "net/sender.h"
#include "sinks/mlflow/upload/run_upload.h"

#include <stdio.h>
#include <stdlib.h>

struct swi_tracking_upload {
    struct swi_tracking_upload_options options;
    struct swi_run_upload run;
    struct swi_sender sender;
};

static void say(void *arg, int level, const char *text)
{
    struct swi_tracking_upload *upload = arg;
    swi_sender_say(&upload->sender, level, text);
}

static int run(void *arg, struct sw_error *err)
{
    struct swi_tracking_upload *upload = arg;
    int rc = swi_run_upload_run(&upload->run, err);
    swi_run_upload_disconnect(&upload->run);
    return rc;
}

static int init(struct swi_tracking_upload *upload, struct sw_error *err)
{
    const struct swi_run_upload_options options = {.folder = upload->options.folder,
                                                   .server = &upload->options.server,
                                                   .interval_s = upload->options.interval_s,
                                                   .growing = true,
                                                   .open_end = true,
                                                   .say = say,
                                                   .arg = upload};
    int rc = swi_run_upload_init(&upload->run, &options, err);
    if (rc != 0)
        return rc;
    rc = swi_sender_start(&upload->sender, "sw-mlflow-up", run, upload, err);
    if (rc != 0)
        swi_run_upload_fini(&upload->run);
    return rc;
}

struct swi_tracking_upload *
swi_tracking_upload_start(const struct swi_tracking_upload_options *options, struct sw_error *err)
{
    struct swi_tracking_upload *upload = calloc(1, sizeof *upload);
    if (!upload) {
        sw_error_set(err, SW_ENOMEM, "not enough memory for an upload");
        return NULL;
    }
    upload->options = *options;
    if (!swi_tracking_server_copy(&upload->options.server, &options->server))
        sw_error_set(err, SW_ENOMEM, "not enough memory for an upload");
    else if (init(upload, err) == 0)
        return upload;
    swi_tracking_server_forget(&upload->options.server);
    free(upload);
    return NULL;
}

void swi_tracking_upload_wake(struct swi_tracking_upload *upload)
{
    swi_run_upload_wake(&upload->run);
}

void swi_tracking_upload_hear(struct swi_tracking_upload *upload, swi_message_fn *tell, void *arg)
{
    swi_sender_hear(&upload->sender, tell, arg);
}

/* Called at once, because the caller may not wait for what follows. */
static void tell_late(const struct swi_tracking_upload *upload, swi_message_fn *tell, void *arg)
{
    char text[PATH_MAX + 256];
    snprintf(text, sizeof text,
             "close_timeout passed before all of the run was uploaded; its journal is kept, upload "
             "the rest with: stepwatch sync %s",
             upload->options.folder);
    tell(arg, 1, text);
}

int swi_tracking_upload_end(struct swi_tracking_upload *upload, int64_t deadline_ns,
                            swi_message_fn *tell, void *arg, bool *whole)
{
    *whole = false;
    swi_run_upload_close(&upload->run);
    bool done = swi_sender_wait(&upload->sender, deadline_ns);
    if (!done) {
        tell_late(upload, tell, arg);
        swi_run_upload_cancel(&upload->run);
    }
    done = done || swi_sender_wait(&upload->sender, swi_now_ns() + 500000000);
    swi_sender_hear(&upload->sender, tell, arg);
    if (!done) {
        swi_sender_leave(&upload->sender);
        return SW_ETIME;
    }
    int rc = swi_sender_join(&upload->sender);
    *whole = rc == 0 && upload->run.state.done;
    swi_run_upload_fini(&upload->run);
    swi_tracking_server_forget(&upload->options.server);
    free(upload);
    return rc;
}
