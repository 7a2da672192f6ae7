/* SPDX-License-Identifier: MIT */
#include "core/watchdog/messenger.h"
#include "core/text/address_user.h"
#include "core/clock/now.h"
#include "core/process/own_thread.h"
#include "core/watchdog/alert_command.h"
#include "core/watchdog/webhook.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* How many alerts may wait. */
enum { WAITING_MAX = 16 };

struct swi_messenger {
    char *command, *webhook;
    const struct sw_run *run;
    struct swi_messages *messages;
    pthread_t thread;
    bool left_alone;      /* the thread did not end in time */
    bool failed_said[2];  /* for the command and the webhook: report a failure once */
    atomic_bool hurry;    /* end a running command or request */
    pthread_mutex_t lock; /* guards what follows */
    pthread_cond_t change;
    struct swi_alert_delivery *first, **last;
    int waiting;
    bool stopping, ended;
};

static void delivery_free(struct swi_alert_delivery *delivery)
{
    free(delivery->kind);
    free(delivery->title);
    free(delivery->text);
    free(delivery);
}

void swi_messenger_free(struct swi_messenger *messenger)
{
    if (!messenger || messenger->left_alone)
        return;
    for (struct swi_alert_delivery *delivery = messenger->first, *next; delivery; delivery = next) {
        next = delivery->next;
        delivery_free(delivery);
    }
    free(messenger->command);
    free(messenger->webhook);
    pthread_cond_destroy(&messenger->change);
    pthread_mutex_destroy(&messenger->lock);
    free(messenger);
}

/* ---- on its thread --------------------------------------------------------------------------- */

/* Waits for the next alert. Returns NULL at the end. */
static struct swi_alert_delivery *delivery_take(struct swi_messenger *messenger)
{
    pthread_mutex_lock(&messenger->lock);
    while (!messenger->first && !messenger->stopping)
        pthread_cond_wait(&messenger->change, &messenger->lock);
    struct swi_alert_delivery *delivery = messenger->first;
    if (delivery) {
        messenger->first = delivery->next;
        messenger->last = messenger->first ? messenger->last : &messenger->first;
        messenger->waiting--;
    }
    pthread_mutex_unlock(&messenger->lock);
    return delivery;
}

/* Reports a failure only once, since a run may take hours. */
static void failed(struct swi_messenger *messenger, int which, const struct sw_error *err)
{
    static const char *const names[] = {"command", "webhook"};
    if (messenger->failed_said[which] || atomic_load(&messenger->hurry))
        return;
    messenger->failed_said[which] = true;
    swi_say(messenger->messages, SW_NOTE, "watchdog: %s: %s", names[which], sw_error_text(err));
}

static void bring(struct swi_messenger *messenger, const struct swi_alert_delivery *delivery)
{
    SW_ERROR_SCOPE(err);
    SW_ERROR_SCOPE(other);
    if (messenger->command &&
        swi_alert_command_run(messenger->command, delivery, &messenger->hurry, &err) < 0)
        failed(messenger, 0, &err);
    if (messenger->webhook &&
        swi_webhook_post(messenger->webhook, delivery, &messenger->hurry, &other) < 0)
        failed(messenger, 1, &other);
}

static void *messenger_main(void *arg)
{
    struct swi_messenger *messenger = arg;
    struct swi_alert_delivery *delivery;
    pthread_setname_np(pthread_self(), "sw-alerts");
    while ((delivery = delivery_take(messenger))) {
        bring(messenger, delivery);
        delivery_free(delivery);
    }
    pthread_mutex_lock(&messenger->lock);
    messenger->ended = true;
    pthread_cond_broadcast(&messenger->change);
    pthread_mutex_unlock(&messenger->lock);
    return NULL;
}

/* ---- from other threads ---------------------------------------------------------------------- */

static bool thread_start(struct swi_messenger *messenger)
{
    return swi_own_thread_start(&messenger->thread, messenger_main, messenger) == 0;
}

struct swi_messenger *swi_messenger_start(const char *command, const char *webhook,
                                          const struct sw_run *run, struct swi_messages *messages)
{
    struct swi_messenger *messenger = calloc(1, sizeof *messenger);
    if (!messenger)
        return NULL;
    messenger->run = run;
    messenger->messages = messages;
    messenger->last = &messenger->first;
    messenger->command = command ? strdup(command) : NULL;
    messenger->webhook = webhook ? strdup(webhook) : NULL;
    pthread_mutex_init(&messenger->lock, NULL);
    swi_cond_init(&messenger->change);
    bool copied = (!command || messenger->command) && (!webhook || messenger->webhook);
    if (copied && thread_start(messenger))
        return messenger;
    swi_messenger_free(messenger);
    return NULL;
}

static struct swi_alert_delivery *delivery_new(const struct swi_messenger *messenger,
                                               const struct sw_alert *alert, int64_t step)
{
    struct swi_alert_delivery *delivery = calloc(1, sizeof *delivery);
    if (!delivery)
        return NULL;
    delivery->run = messenger->run;
    delivery->step = step;
    delivery->kind = strdup(alert->kind);
    delivery->title = swi_address_clean_copy(alert->title);
    delivery->text = swi_address_clean_copy(alert->text);
    if (delivery->kind && delivery->title && delivery->text)
        return delivery;
    delivery_free(delivery);
    return NULL;
}

void swi_messenger_send(struct swi_messenger *messenger, const struct sw_alert *alert, int64_t step)
{
    struct swi_alert_delivery *delivery = delivery_new(messenger, alert, step);
    pthread_mutex_lock(&messenger->lock);
    bool taken = delivery && messenger->waiting < WAITING_MAX && !messenger->stopping;
    if (taken) {
        *messenger->last = delivery;
        messenger->last = &delivery->next;
        messenger->waiting++;
        pthread_cond_broadcast(&messenger->change);
    }
    pthread_mutex_unlock(&messenger->lock);
    if (delivery && !taken)
        delivery_free(delivery);
}

/* Waits for the thread to end. Returns false if it did not. */
static bool end_wait(struct swi_messenger *messenger, int64_t limit_ns)
{
    int64_t until_ns = swi_now_ns() + limit_ns;
    struct timespec until = {.tv_sec = (time_t)(until_ns / 1000000000),
                             .tv_nsec = (long)(until_ns % 1000000000)};
    int rc = 0;
    pthread_mutex_lock(&messenger->lock);
    messenger->stopping = true;
    pthread_cond_broadcast(&messenger->change);
    while (!messenger->ended && rc == 0)
        rc = pthread_cond_timedwait(&messenger->change, &messenger->lock, &until);
    bool ended = messenger->ended;
    pthread_mutex_unlock(&messenger->lock);
    return ended;
}

void swi_messenger_stop(struct swi_messenger *messenger, int64_t limit_ns)
{
    enum { GRACE_NS = 500000000 }; /* to end a running command or request */
    if (!messenger)
        return;
    bool ended = end_wait(messenger, limit_ns);
    if (!ended) {
        atomic_store(&messenger->hurry, true);
        ended = end_wait(messenger, GRACE_NS);
    }
    messenger->left_alone = !ended;
    if (ended)
        pthread_join(messenger->thread, NULL);
    else
        pthread_detach(messenger->thread);
}
