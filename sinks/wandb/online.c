/* SPDX-License-Identifier: MIT */
/* online.c - decides whether the run is uploaded while it is written, and begins and ends the
 * thread that does it. */
#include "config.h"
#include "sinks/wandb/wandb_sink.h"

#include "core/text/escape.h"
#include "sinks/wandb/account/credentials.h"
#include "sinks/wandb/account/service.h"

#ifdef HAVE_SEND
#include "net/json.h"
#include "net/libcurl.h"
#include "net/sender.h"
#include "sinks/wandb/upload/upload.h"
#endif

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The thread may outlive the sink. */
struct swi_background {
    char log_path[PATH_MAX + SWI_WANDB_VALUE + 32], folder[PATH_MAX];
    struct swi_wandb_service service;
    struct swi_wandb_key key;
    enum swi_resume resume;
#ifdef HAVE_SEND
    struct swi_upload upload;
    struct swi_sender sender;
#endif
};

void swi_wandb_online_not(struct wandb *w, const struct sw_error *err, const char *instead)
{
    swi_wandb_say(w, 1, "%s; %s", sw_error_text(err), instead);
    w->online = false;
    swi_wandb_online_free(w);
}

/* ---- may it go online? ----------------------------------------------------------------------- */

static int resume_find(struct wandb *w, struct swi_background *o, struct sw_error *err)
{
    char resume[SWI_WANDB_VALUE];
    bool said = strcmp(w->resume, "environment") != 0;
    int rc = swi_wandb_setting(said ? w->resume : NULL, "WANDB_RESUME", "resume", resume, err);
    if (rc < 0)
        return rc;
    w->resume_auto = strcmp(resume, "auto") == 0;
    if (w->resume_auto || strcmp(resume, "allow") == 0)
        o->resume = SWI_RESUME_ALLOW;
    else if (strcmp(resume, "must") == 0)
        o->resume = SWI_RESUME_MUST;
    else if (strcmp(resume, "never") == 0)
        o->resume = SWI_RESUME_NEVER;
    else if (*resume)
        return sw_error_set(err, SW_EINVAL,
                            "resume \"%s\" (WANDB_RESUME): expected allow, must, never or auto",
                            resume);
    return 0;
}

static int ca_find(struct wandb *w, struct swi_background *o, struct sw_error *err)
{
    char path[PATH_MAX];
    if (!w->ca_file)
        return 0;
    int rc = sw_sink_resolve(w->sink, w->ca_file, path, sizeof path, err);
    if (rc == 0 && (access(path, R_OK) < 0 || !swi_connection_trust(&o->service.connection, path)))
        rc = sw_error_set(err, SW_EINVAL, "ca_file %s: cannot be read", path);
    return rc;
}

static int key_find(struct wandb *w, struct swi_background *o, struct sw_error *err)
{
    char path[PATH_MAX] = "";
    int rc = w->key_file ? sw_sink_resolve(w->sink, w->key_file, path, sizeof path, err) : 0;
    return rc < 0 ? rc : swi_wandb_key_find(path, o->service.base_url, &o->key, err);
}

/* Reports a missing key. The file is written anyway. */
static void key_missing(struct wandb *w, const struct swi_background *o, int rc,
                        const struct sw_error *err)
{
    if (rc < 0)
        swi_wandb_say(w, 1, "%s; the run is only written to a file", sw_error_text(err));
    else
        swi_wandb_say(w, w->online_asked,
                      "no API key for %s, so the run is only written to a file; put the key from "
                      "%s/authorize into WANDB_API_KEY, or into ~/.netrc as the password of that "
                      "host; set `mode: offline` if you only want a file",
                      o->service.base_url, o->service.app_url);
}

/* If that fails, the file is written anyway. */
static void library_load(struct wandb *w)
{
    SW_ERROR_SCOPE(err);
    if (!w->online)
        return;
#ifdef HAVE_SEND
    if (swi_curl_load(&err) == 0)
        return;
#else
    sw_error_set(&err, SW_ESINK, "this stepwatch was built without libcurl or jansson");
#endif
    swi_wandb_say(w, 1, "%s; the run is only written to a file", sw_error_text(&err));
    w->online = false;
}

static int decide(struct wandb *w, struct swi_background *o, struct sw_error *err)
{
    int rc = swi_wandb_service_find(&o->service, w->base_url, err);
    if (rc < 0 || (rc = resume_find(w, o, err)) < 0 || (rc = ca_find(w, o, err)) < 0)
        return rc;
    o->service.insecure |= w->insecure;
    rc = key_find(w, o, err);
    w->online = rc == 1;
    if (!w->online)
        key_missing(w, o, rc, err);
    library_load(w);
    if (w->online && o->service.insecure)
        swi_wandb_say(w, 1,
                      "insecure: certificates are not checked, so anyone between here and the "
                      "service can read the API key");
    if (w->online && o->service.open)
        swi_wandb_say(w, 1, "%s", swi_wandb_open_warning);
    if (w->online && *o->key.warning)
        swi_wandb_say(w, 1, "%s", o->key.warning);
    return 0;
}

int swi_wandb_online_decide(struct wandb *w, struct sw_error *err)
{
    struct swi_background *o = calloc(1, sizeof *o);
    if (!o)
        return sw_error_set(err, SW_ENOMEM, "not enough memory for the upload's settings");
    w->upload = o;
    int rc = decide(w, o, err);
    if (rc < 0 || !w->online)
        swi_wandb_online_free(w);
    return rc;
}

void swi_wandb_online_free(struct wandb *w)
{
    if (w->upload)
        swi_wandb_key_forget(&w->upload->key);
    free(w->upload);
    w->upload = NULL;
}

#ifdef HAVE_SEND
/* ---- resume: auto ---------------------------------------------------------------------------- */

static void resume_path(const struct wandb *w, char path[PATH_MAX + 32])
{
    snprintf(path, PATH_MAX + 32, "%s/wandb-resume.json", w->root);
}

/* Reads the id from that file. Returns false if there is none. */
static bool last_run(const char *path, char id[SWI_WANDB_VALUE])
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

/* Continues the run of a process that began here and did not end well. */
void swi_wandb_online_resume(struct wandb *w)
{
    char path[PATH_MAX + 32], id[SWI_WANDB_VALUE];
    SW_ERROR_SCOPE(err);
    resume_path(w, path);
    if (w->resume_auto && !*w->id && last_run(path, id) && swi_wandb_run_id_check(id, &err) == 0)
        memcpy(w->id, id, sizeof w->id);
}

static void resume_write(struct wandb *w)
{
    char path[PATH_MAX + 32], text[512];
    SW_ERROR_SCOPE(err);
    SWI_FREED struct swi_text id = {0};
    resume_path(w, path);
    swi_escape_json(&id, w->id);
    int size = snprintf(text, sizeof text, "{\"run_id\":%s}\n", id.data ? id.data : "\"\"");
    if (w->resume_auto && sw_sink_replace(w->sink, path, text, (size_t)size, &err) < 0)
        swi_wandb_say(w, 1, "%s", sw_error_text(&err));
}

static void resume_forget(const struct wandb *w)
{
    char path[PATH_MAX + 32];
    resume_path(w, path);
    if (w->resume_auto && w->exit_code == 0)
        unlink(path);
}

/* ---- the upload ------------------------------------------------------------------------------ */

static void tell(void *arg, int level, const char *text)
{
    struct wandb *w = arg;
    swi_wandb_say(w, level, "%s", text);
}

/* Keeps the order: after one that is not taken, no other is. */
static bool pass_one(void *arg, const unsigned char *record, size_t size)
{
    struct wandb *w = arg;
    int64_t number;
    (void)swi_record_kind(record, size, &number);
    bool taken = number <= w->passed || swi_spill_put(&w->live->upload.spill, number, record, size);
    w->pass_failed = !taken;
    if (taken && number > w->passed)
        w->passed = number;
    return taken;
}

bool swi_wandb_online_pass(struct wandb *w)
{
    if (!w->live)
        return false;
    w->pass_failed = false;
    swi_wandb_log_each(&w->records.log, pass_one, w);
    swi_pace_wake(&w->live->upload.link.asker.pace);
    return !w->pass_failed;
}

/* Called if the log is full: this record comes after everything in the log. If the upload has no
 * room either, it is tried again with the flush of each second. */
static bool beyond(void *arg, int64_t number, const void *record, size_t size)
{
    struct wandb *w = arg;
    if (w->pass_failed || (w->passed + 1 < number && !swi_wandb_online_pass(w)))
        return false;
    w->pass_failed = !swi_spill_put(&w->live->upload.spill, number, record, size);
    if (!w->pass_failed)
        w->passed = number;
    return !w->pass_failed;
}

static int start(const struct wandb *w, struct swi_background *o, struct sw_error *err)
{
    const struct swi_upload_options options = {.log_path = o->log_path,
                                               .folder = o->folder,
                                               .service = &o->service,
                                               .key = &o->key,
                                               .resume = o->resume,
                                               .interval_s = (double)w->interval_ns * 1e-9,
                                               .unknown =
                                                   w->id_made && o->resume == SWI_RESUME_NONE,
                                               .growing = true,
                                               .open_end = true,
                                               .say = swi_sender_say,
                                               .arg = &o->sender};
    snprintf(o->folder, sizeof o->folder, "%s", w->folder);
    snprintf(o->log_path, sizeof o->log_path, "%s/run-%s.wandb", w->folder, w->id);
    int rc = swi_upload_init(&o->upload, &options, err);
    if (rc < 0)
        return rc;
    rc = swi_sender_start(&o->sender, "sw-wandb-upload", swi_upload_run, &o->upload, err);
    if (rc < 0)
        swi_upload_fini(&o->upload);
    return rc;
}

void swi_wandb_online_start(struct wandb *w)
{
    SW_ERROR_SCOPE(err);
    if (!w->online)
        return;
    resume_write(w);
    if (start(w, w->upload, &err) == 0) {
        w->live = w->upload;
        w->upload = NULL;
    } else {
        swi_wandb_say(w, 1, "%s; the run is only written to its file", sw_error_text(&err));
    }
    w->records.beyond = w->live ? beyond : NULL;
    w->records.arg = w;
    swi_wandb_online_free(w);
}

void swi_wandb_online_flush(struct wandb *w)
{
    if (!w->live)
        return;
    swi_pace_wake(&w->live->upload.link.asker.pace);
    swi_sender_hear(&w->live->sender, tell, w);
    if (!w->stop_said && atomic_load(&w->live->upload.stopped)) {
        w->stop_said = true;
        sw_sink_stop(w->sink);
    }
}

/* Records that bypassed the file are lost if the upload did not store them. */
static void aside_tell(struct wandb *w, bool stored)
{
    if (w->records.aside && stored)
        swi_wandb_say(w, 0,
                      "all rows of the run were uploaded; its file lacks %" PRId64
                      " records, because the disk was full",
                      w->records.aside);
    else if (w->records.aside)
        sw_sink_lost(w->sink, w->records.aside);
}

static void rest_say(struct wandb *w, int rc, bool whole)
{
    if (rc == 0 && !whole)
        swi_wandb_say(w, 1,
                      "not all files of the run were uploaded; upload what is missing with: "
                      "stepwatch sync %s",
                      w->folder);
    else if (rc != 0 && rc != SW_ETIME)
        swi_wandb_say(w, 1,
                      "not all of the run was uploaded; its file is kept, upload it with: "
                      "stepwatch sync %s",
                      w->folder);
}

bool swi_wandb_online_close(struct wandb *w, bool written)
{
    struct swi_background *live = w->live;
    char late[PATH_MAX + 256];
    SW_ERROR_SCOPE(ignored);
    if (!live)
        return false;
    w->live = NULL;
    snprintf(late, sizeof late,
             "close_timeout passed before all of the run was uploaded; the run's file is kept, "
             "upload it with: stepwatch sync %s",
             w->folder);
    swi_upload_close(&live->upload);
    bool ends = swi_sender_end(&live->sender, &live->upload.link.asker, w->sink->run,
                               w->deadline_ns, late, tell, w);
    int rc = ends ? live->sender.rc : SW_ETIME;
    /* The end of the run is stored, and all its files were accepted. */
    bool whole = rc == 0 && live->upload.model.ended && live->upload.files.failed == 0;
    aside_tell(w, rc == 0);
    if (!ends || !live->upload.link.deleted)
        rest_say(w, rc, whole || !written);
    if (rc == 0 && w->ended)
        resume_forget(w);
    if (whole && written && w->end_written)
        swi_upload_mark(live->log_path, &ignored);
    if (ends) {
        swi_upload_fini(&live->upload);
        swi_wandb_key_forget(&live->key);
        free(live);
    }
    return true;
}
#else
void swi_wandb_online_resume(struct wandb *w)
{
    (void)w;
}

void swi_wandb_online_start(struct wandb *w)
{
    (void)w;
}

bool swi_wandb_online_pass(struct wandb *w)
{
    (void)w;
    return false;
}

void swi_wandb_online_flush(struct wandb *w)
{
    (void)w;
}

bool swi_wandb_online_close(struct wandb *w, bool written)
{
    (void)w, (void)written;
    return false;
}
#endif
