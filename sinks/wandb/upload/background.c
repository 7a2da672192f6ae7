/* SPDX-License-Identifier: MIT */
#include "sinks/wandb/upload/background.h"

#include "core/clock/now.h"
#include "net/json.h"
#include "net/sender.h"
#include "sinks/wandb/upload/upload.h"

#include <stdio.h>
#include <stdlib.h>

struct swi_background {
    struct swi_background_options options;
    struct swi_upload upload;
    struct swi_sender sender;
    bool url_said; /* used by the thread only */
};

/* ---- what the thread says -------------------------------------------------------------------- */

static void say(void *arg, int level, const char *text)
{
    struct swi_background *live = arg;
    swi_sender_say(&live->sender, level, text);
}

static void progress(void *arg)
{
    struct swi_background *live = arg;
    char text[SWI_SENDER_MESSAGE];
    if (live->url_said || !live->upload.url[0])
        return;
    live->url_said = true;
    snprintf(text, sizeof text, "the run's page is %.900s", live->upload.url);
    say(live, 0, text);
}

void swi_background_hear(struct swi_background *live, swi_message_fn *tell, void *arg)
{
    swi_sender_hear(&live->sender, tell, arg);
}

bool swi_background_stopped(struct swi_background *live)
{
    return atomic_load(&live->upload.stopped);
}

/* ---- the thread ------------------------------------------------------------------------------ */

static struct swi_upload_options upload_options(struct swi_background *live)
{
    const struct swi_background_options *o = &live->options;
    return (struct swi_upload_options){.log_path = o->log_path,
                                       .folder = o->folder,
                                       .base_url = o->service.base_url,
                                       .app_url = o->service.app_url,
                                       .http = {.key = o->key.key,
                                                .connection = &o->service.connection,
                                                .ca_file = o->ca_file,
                                                .insecure = o->insecure},
                                       .identity = o->key.identity,
                                       .key_from = o->key.from,
                                       .ignored = o->service.ignored,
                                       .user = o->service.user,
                                       .mail = o->service.mail,
                                       .answer_s = o->service.answer_s,
                                       .file_s = o->service.file_s,
                                       .resume = o->resume,
                                       .interval_s = o->interval_s,
                                       .unknown = o->unknown,
                                       .growing = true,
                                       .open_end = true,
                                       .say = say,
                                       .progress = progress,
                                       .arg = live};
}

static int run(void *arg, struct sw_error *err)
{
    struct swi_background *live = arg;
    int rc = swi_upload_run(&live->upload, err);
    swi_upload_disconnect(&live->upload);
    return rc;
}

static void live_free(struct swi_background *live)
{
    swi_upload_fini(&live->upload);
    swi_wandb_key_forget(&live->options.key);
    free(live);
}

struct swi_background *swi_background_start(const struct swi_background_options *options,
                                            struct sw_error *err)
{
    struct swi_background *live = calloc(1, sizeof *live);
    if (!live) {
        sw_error_set(err, SW_ENOMEM, "not enough memory for an upload");
        return NULL;
    }
    live->options = *options;
    if (!swi_wandb_key_copy(&live->options.key, &options->key)) {
        free(live);
        sw_error_set(err, SW_ENOMEM, "not enough memory for an upload");
        return NULL;
    }
    const struct swi_upload_options upload = upload_options(live);
    if (swi_upload_init(&live->upload, &upload, err) < 0) {
        swi_wandb_key_forget(&live->options.key);
        free(live);
        return NULL;
    }
    if (swi_sender_start(&live->sender, "sw-wandb-upload", run, live, err) == 0)
        return live;
    live_free(live);
    return NULL;
}

void swi_background_wake(struct swi_background *live)
{
    swi_upload_wake(&live->upload);
}

bool swi_background_pass(struct swi_background *live, int64_t number, const void *record,
                         size_t size)
{
    return swi_spill_put(&live->upload.spill, number, record, size);
}

/* ---- the end --------------------------------------------------------------------------------- */

/* Called at once, because the caller may not wait for what follows. */
static void tell_late(const struct swi_background *live, swi_message_fn *tell, void *arg)
{
    char text[PATH_MAX + 256];
    snprintf(text, sizeof text,
             "close_timeout passed before all of the run was uploaded; the run's file is kept, "
             "upload it with: stepwatch sync %s",
             live->options.folder);
    tell(arg, 1, text);
}

int swi_background_end(struct swi_background *live, int64_t deadline_ns, swi_message_fn *tell,
                       void *arg, struct swi_background_end *how)
{
    *how = (struct swi_background_end){0};
    swi_upload_close(&live->upload);
    bool done = swi_sender_wait(&live->sender, deadline_ns);
    if (!done) {
        tell_late(live, tell, arg);
        swi_upload_cancel(&live->upload);
    }
    done = done || swi_sender_wait(&live->sender, swi_now_ns() + 500000000);
    swi_background_hear(live, tell, arg);
    if (!done) {
        swi_sender_leave(&live->sender);
        return SW_ETIME;
    }
    int rc = swi_sender_join(&live->sender);
    how->whole = rc == 0 && live->upload.model.ended && live->upload.files.failed == 0;
    how->deleted = live->upload.link.deleted;
    live_free(live);
    return rc;
}

/* ---- resume: auto ---------------------------------------------------------------------------- */

bool swi_background_last_run(const char *path, char id[SWI_WANDB_VALUE])
{
    char text[512];
    FILE *file = fopen(path, "re");
    size_t size = file ? fread(text, 1, sizeof text, file) : 0;
    if (file)
        fclose(file);
    json_t *json = swi_json_read(text, size);
    snprintf(id, SWI_WANDB_VALUE, "%s", swi_json_text(json_object_get(json, "run_id")));
    json_decref(json);
    return *id != '\0';
}
