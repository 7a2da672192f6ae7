/* SPDX-License-Identifier: MIT */
/* online.c - decides whether the run is uploaded while it is written. The upload itself is done by
 * a thread (background.h). */
#include "config.h"
#include "sinks/wandb/wandb_sink.h"

#include "core/text/escape.h"
#include "core/text/wire.h"
#include "sinks/wandb/upload/background.h"

#ifdef HAVE_SEND
#include "net/libcurl.h"
#endif

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
    if (!w->ca_file)
        return 0;
    int rc = sw_sink_resolve(w->sink, w->ca_file, o->ca_file, sizeof o->ca_file, err);
    if (rc == 0 && access(o->ca_file, R_OK) < 0)
        rc = sw_error_set(err, SW_EINVAL, "ca_file %s: cannot be read", o->ca_file);
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
    o->insecure = w->insecure || o->service.insecure;
    rc = key_find(w, o, err);
    w->online = rc == 1;
    if (!w->online)
        key_missing(w, o, rc, err);
    library_load(w);
    o->interval_s = (double)w->interval_ns * 1e-9;
    if (w->online && o->insecure)
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

/* Continues the run of a process that began here and did not end well. */
void swi_wandb_online_resume(struct wandb *w)
{
    char path[PATH_MAX + 32], id[SWI_WANDB_VALUE];
    SW_ERROR_SCOPE(err);
    resume_path(w, path);
    if (w->resume_auto && !*w->id && swi_background_last_run(path, id) &&
        swi_wandb_run_id_check(id, &err) == 0)
        memcpy(w->id, id, sizeof w->id);
}

static void resume_write(struct wandb *w)
{
    char path[PATH_MAX + 32], text[512];
    SW_ERROR_SCOPE(err);
    struct swi_text id = {0};
    resume_path(w, path);
    swi_escape_json(&id, w->id);
    int size = snprintf(text, sizeof text, "{\"run_id\":%s}\n", id.data ? id.data : "\"\"");
    if (w->resume_auto && sw_sink_replace(w->sink, path, text, (size_t)size, &err) < 0)
        swi_wandb_say(w, 1, "%s", sw_error_text(&err));
    swi_text_free(&id);
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

/* The first field of a record. */
static int64_t number_of(const unsigned char *record, size_t size)
{
    struct swi_wire_field first;
    const char *at = (const char *)record;
    return swi_wire_read(&at, at + size, &first) ? (int64_t)first.value : 0;
}

/* Keeps the order: after one that is not taken, no other is. */
static bool pass_one(void *arg, const unsigned char *record, size_t size)
{
    struct wandb *w = arg;
    int64_t number = number_of(record, size);
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

void swi_wandb_online_start(struct wandb *w)
{
    SW_ERROR_SCOPE(err);
    if (!w->online)
        return;
    resume_write(w);
    snprintf(w->upload->folder, sizeof w->upload->folder, "%s", w->folder);
    snprintf(w->upload->log_path, sizeof w->upload->log_path, "%s/run-%s.wandb", w->folder, w->id);
    w->upload->unknown = w->id_made && w->upload->resume == SWI_RESUME_NONE;
    if (swi_background_start(w->upload, &err) == 0) {
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

/* Marks the run as uploaded completely, so that it needs no further upload. */
static void mark(const struct wandb *w)
{
    char path[PATH_MAX + SWI_WANDB_VALUE + 32];
    snprintf(path, sizeof path, "%s/run-%s.wandb.synced", w->folder, w->id);
    FILE *file = fopen(path, "wxe");
    if (file)
        fclose(file);
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
    struct swi_background_end how;
    if (!w->live)
        return false;
    int rc = swi_background_end(w->live, w->sink->run, w->end_ns, tell, w, &how);
    w->live = NULL;
    aside_tell(w, rc == 0);
    if (!how.deleted)
        rest_say(w, rc, how.whole || !written);
    if (rc == 0 && w->ended)
        resume_forget(w);
    if (how.whole && written && w->end_written)
        mark(w);
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
