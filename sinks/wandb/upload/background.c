/* SPDX-License-Identifier: MIT */
#include "sinks/wandb/upload/background.h"

#include "net/json.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- the thread ------------------------------------------------------------------------------ */

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

static struct swi_upload_options upload_options(struct swi_background *live)
{
    return (struct swi_upload_options){.log_path = live->log_path,
                                       .folder = live->folder,
                                       .base_url = live->service.base_url,
                                       .app_url = live->service.app_url,
                                       .http = {.key = live->key.key,
                                                .connection = &live->service.connection,
                                                .ca_file = live->ca_file,
                                                .insecure = live->insecure},
                                       .identity = live->key.identity,
                                       .key_from = live->key.from,
                                       .ignored = live->service.ignored,
                                       .user = live->service.user,
                                       .mail = live->service.mail,
                                       .answer_s = live->service.answer_s,
                                       .file_s = live->service.file_s,
                                       .resume = live->resume,
                                       .interval_s = live->interval_s,
                                       .unknown = live->unknown,
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

int swi_background_start(struct swi_background *live, struct sw_error *err)
{
    const struct swi_upload_options options = upload_options(live);
    int rc = swi_upload_init(&live->upload, &options, err);
    if (rc < 0)
        return rc;
    rc = swi_sender_start(&live->sender, "sw-wandb-upload", run, live, err);
    if (rc < 0)
        swi_upload_fini(&live->upload);
    return rc;
}

/* ---- the end --------------------------------------------------------------------------------- */

int swi_background_end(struct swi_background *live, const struct sw_run *run, int64_t end_ns,
                       swi_message_fn *tell, void *arg, struct swi_background_end *how)
{
    char late[PATH_MAX + 256];
    *how = (struct swi_background_end){0};
    snprintf(late, sizeof late,
             "close_timeout passed before all of the run was uploaded; the run's file is kept, "
             "upload it with: stepwatch sync %s",
             live->folder);
    swi_upload_close(&live->upload);
    if (!swi_sender_end(&live->sender, &live->upload.link.asker, run, end_ns, late, tell, arg))
        return SW_ETIME;
    int rc = live->sender.rc;
    how->whole = rc == 0 && live->upload.model.ended && live->upload.files.failed == 0;
    how->deleted = live->upload.link.deleted;
    swi_upload_fini(&live->upload);
    swi_wandb_key_forget(&live->key);
    free(live);
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
    snprintf(id, SWI_WANDB_VALUE, "%s", swi_json_text_at(json, "run_id"));
    json_decref(json);
    return *id != '\0';
}
