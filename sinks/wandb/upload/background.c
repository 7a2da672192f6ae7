/* SPDX-License-Identifier: MIT */
#include "sinks/wandb/upload/background.h"

#include "core/clock/now.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MESSAGES = 32, MESSAGE = 1024 };

struct swi_background {
    struct swi_background_options options;
    struct swi_upload upload;
    pthread_t thread;
    bool url_said; /* used by the thread only */

    pthread_mutex_t lock; /* protects the rest */
    pthread_cond_t changed;
    bool done;
    int rc;
    struct {
        int level;
        char text[MESSAGE];
    } message[MESSAGES];
    size_t messages; /* messages that wait; the last place is shared by all that do not fit */
};

/* ---- what the thread says -----------------------------------------------------------------------
 */

static void say(void *arg, int level, const char *text)
{
    struct swi_background *live = arg;
    pthread_mutex_lock(&live->lock);
    size_t at = live->messages < MESSAGES ? live->messages++ : MESSAGES - 1;
    live->message[at].level = level;
    snprintf(live->message[at].text, MESSAGE, "%.*s", MESSAGE - 1, text);
    pthread_mutex_unlock(&live->lock);
}

static void progress(void *arg)
{
    struct swi_background *live = arg;
    char text[MESSAGE];
    if (live->url_said || !live->upload.url[0])
        return;
    live->url_said = true;
    snprintf(text, sizeof text, "the run's page is %.900s", live->upload.url);
    say(live, 0, text);
}

void swi_background_hear(struct swi_background *live, swi_say_fn *tell, void *arg)
{
    char text[MESSAGE];
    pthread_mutex_lock(&live->lock);
    for (size_t i = 0; i < live->messages; i++) {
        int level = live->message[i].level;
        memcpy(text, live->message[i].text, sizeof text);
        pthread_mutex_unlock(&live->lock);
        tell(arg, level, text);
        pthread_mutex_lock(&live->lock);
    }
    live->messages = 0;
    pthread_mutex_unlock(&live->lock);
}

bool swi_background_stopped(struct swi_background *live)
{
    return atomic_load(&live->upload.stopped);
}

/* ---- the thread ---------------------------------------------------------------------------------
 */

static struct swi_upload_options upload_options(struct swi_background *live)
{
    const struct swi_background_options *o = &live->options;
    return (struct swi_upload_options){.log_path = o->log_path,
                                       .folder = o->folder,
                                       .base_url = o->service.base_url,
                                       .app_url = o->service.app_url,
                                       .http = {.key = o->key.key,
                                                .way = &o->service.way,
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

static void *run(void *arg)
{
    struct swi_background *live = arg;
    SW_ERROR_SCOPE(err);
    pthread_setname_np(pthread_self(), "sw-wandb-upload");
    int rc = swi_upload_run(&live->upload, &err);
    /* Reported at once, so that the user does not learn of a wrong key only at the end of the
     * program. */
    if (rc < 0 && rc != SW_ETIME)
        say(live, 2, sw_error_text(&err));
    pthread_mutex_lock(&live->lock);
    live->rc = rc;
    live->done = true;
    pthread_cond_broadcast(&live->changed);
    pthread_mutex_unlock(&live->lock);
    return NULL;
}

/* Blocks all signals in this thread: they are handled by the program. */
static int thread_start(struct swi_background *live)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int rc = pthread_create(&live->thread, NULL, run, live);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return rc;
}

static void locks_init(struct swi_background *live)
{
    swi_cond_init(&live->changed);
    pthread_mutex_init(&live->lock, NULL);
}

static void live_free(struct swi_background *live)
{
    swi_upload_fini(&live->upload);
    pthread_cond_destroy(&live->changed);
    pthread_mutex_destroy(&live->lock);
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
    locks_init(live);
    int failed = thread_start(live);
    if (!failed)
        return live;
    live_free(live);
    sw_error_set(err, SW_EIO, "cannot start a thread for the upload: %s", strerror(failed));
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

/* ---- the end ------------------------------------------------------------------------------------
 */

static bool wait_done(struct swi_background *live, int64_t deadline_ns)
{
    struct timespec until = {.tv_sec = (time_t)(deadline_ns / 1000000000),
                             .tv_nsec = (long)(deadline_ns % 1000000000)};
    pthread_mutex_lock(&live->lock);
    while (!live->done && pthread_cond_timedwait(&live->changed, &live->lock, &until) == 0)
        ;
    bool done = live->done;
    pthread_mutex_unlock(&live->lock);
    return done;
}

/* Abandons a thread that hangs where nothing can end it: in the resolver of names. Everything it
 * uses is kept, and this code is never unloaded. */
static int leave(struct swi_background *live)
{
    pthread_detach(live->thread);
    return SW_ETIME;
}

/* Called at once, because the caller may not wait for what follows. */
static void tell_late(const struct swi_background *live, swi_say_fn *tell, void *arg)
{
    char text[PATH_MAX + 256];
    snprintf(text, sizeof text,
             "close_timeout passed before all of the run was uploaded; the run's file is kept, "
             "upload it with: stepwatch sync %s",
             live->options.folder);
    tell(arg, 1, text);
}

int swi_background_end(struct swi_background *live, int64_t deadline_ns, swi_say_fn *tell,
                       void *arg, struct swi_background_end *how)
{
    *how = (struct swi_background_end){0};
    swi_upload_close(&live->upload);
    bool done = wait_done(live, deadline_ns);
    if (!done) {
        tell_late(live, tell, arg);
        swi_upload_cancel(&live->upload);
    }
    done = done || wait_done(live, swi_now_ns() + 500000000);
    swi_background_hear(live, tell, arg);
    if (!done)
        return leave(live);
    pthread_join(live->thread, NULL);
    int rc = live->rc;
    how->whole = rc == 0 && live->upload.model.ended && live->upload.files.failed == 0;
    how->deleted = live->upload.link.deleted;
    live_free(live);
    return rc;
}
