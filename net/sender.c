/* SPDX-License-Identifier: MIT */
#include "net/sender.h"
#include "core/process/plugin_threads.h"
#include "core/clock/now.h"
#include "core/files/own_table.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

/* ---- messages -------------------------------------------------------------------------------- */

void swi_sender_say(void *arg, int level, const char *text)
{
    struct swi_sender *sender = arg;
    pthread_mutex_lock(&sender->lock);
    size_t at =
        sender->messages < SWI_SENDER_MESSAGES ? sender->messages++ : SWI_SENDER_MESSAGES - 1;
    sender->message[at].level = level;
    snprintf(sender->message[at].text, SWI_SENDER_MESSAGE, "%.*s", SWI_SENDER_MESSAGE - 1, text);
    pthread_mutex_unlock(&sender->lock);
}

void swi_sender_hear(struct swi_sender *sender, swi_message_fn *tell, void *arg)
{
    char text[SWI_SENDER_MESSAGE];
    pthread_mutex_lock(&sender->lock);
    for (size_t i = 0; i < sender->messages; i++) {
        int level = sender->message[i].level;
        memcpy(text, sender->message[i].text, sizeof text);
        pthread_mutex_unlock(&sender->lock);
        tell(arg, level, text);
        pthread_mutex_lock(&sender->lock);
    }
    sender->messages = 0;
    pthread_mutex_unlock(&sender->lock);
}

/* ---- the thread ------------------------------------------------------------------------------ */

static void *upload(void *arg)
{
    struct swi_sender *sender = arg;
    SW_ERROR_SCOPE(err);
    pthread_setname_np(pthread_self(), sender->name);
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
    swi_own_table();
    int rc = sender->run(sender->arg, &err);
    /* Reported at once, so that the user does not learn of a wrong key only at the end of the
     * program. */
    if (rc < 0 && rc != SW_ETIME)
        swi_sender_say(sender, 2, sw_error_text(&err));
    pthread_mutex_lock(&sender->lock);
    sender->rc = rc;
    sender->done = true;
    pthread_cond_broadcast(&sender->changed);
    pthread_mutex_unlock(&sender->lock);
    return NULL;
}

static void *run(void *sender)
{
    return swi_unchecked(upload, sender);
}

static void locks_destroy(struct swi_sender *sender)
{
    pthread_cond_destroy(&sender->changed);
    pthread_mutex_destroy(&sender->lock);
}

int swi_sender_start(struct swi_sender *sender, const char *name,
                     int (*begin)(void *arg, struct sw_error *err), void *arg, struct sw_error *err)
{
    sender->name = name;
    sender->run = begin;
    sender->arg = arg;
    swi_cond_init(&sender->changed);
    pthread_mutex_init(&sender->lock, NULL);
    int failed = swi_blocked_thread(&sender->thread, run, sender);
    if (!failed)
        return 0;
    locks_destroy(sender);
    return sw_error_set(err, SW_EIO, "cannot start a thread for the upload: %s", strerror(failed));
}

/* ---- the end --------------------------------------------------------------------------------- */

/* Returns whether run has returned. */
static bool done_wait(struct swi_sender *sender, int64_t until_ns)
{
    pthread_mutex_lock(&sender->lock);
    while (!sender->done && swi_cond_wait(&sender->changed, &sender->lock, until_ns) == 0)
        ;
    bool done = sender->done;
    pthread_mutex_unlock(&sender->lock);
    return done;
}

/* Returns the part of the time that is left which is reserved for the end of the thread, and for
 * core to see that the sink has returned: a fifth, or half a second of a short one. */
static int64_t slack_ns(int64_t left_ns)
{
    int64_t slack = left_ns / 5;
    return slack > 500000000 ? slack : left_ns < 1000000000 ? left_ns / 2 : 500000000;
}

bool swi_sender_end(struct swi_sender *sender, struct swi_asker *asker, const struct sw_run *run,
                    int64_t deadline_ns, const char *late, swi_message_fn *tell, void *arg)
{
    int64_t left_ns = swi_end_left_ns(run, deadline_ns);
    bool done = done_wait(sender, swi_now_ns() + left_ns - slack_ns(left_ns));
    /* Said at once, because the caller may not wait for what follows. */
    if (!done) {
        tell(arg, 1, late);
        swi_asker_cancel(asker);
    }
    done = done || done_wait(sender, swi_now_ns() + 500000000);
    swi_sender_hear(sender, tell, arg);
    if (done) {
        pthread_join(sender->thread, NULL);
        locks_destroy(sender);
    } else {
        pthread_detach(sender->thread);
    }
    return done;
}
