/* SPDX-License-Identifier: MIT */
/* sender.h - the thread of an upload. It never calls the sink: its messages wait until they are
 * fetched, and whoever waits for its end does so until a deadline. It has a table of descriptors of
 * its own (core/files/own_table.h): what it opens must be closed by it, too. */
#ifndef NET_SENDER_H
#define NET_SENDER_H

#include "net/asker.h"

#include <stepwatch/sink.h>

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SWI_SENDER_MESSAGES = 32, SWI_SENDER_MESSAGE = 1024 };

struct swi_sender {
    const char *name; /* of the thread */
    int (*run)(void *arg, struct sw_error *err);
    void *arg;
    pthread_t thread;

    pthread_mutex_t lock; /* protects the rest */
    pthread_cond_t changed;
    bool done;
    int rc;
    struct {
        int level;
        char text[SWI_SENDER_MESSAGE];
    } message[SWI_SENDER_MESSAGES];
    size_t messages; /* messages that wait; the last place is shared by all that do not fit */
};

/* Starts a thread that calls run(arg, err), with all signals blocked. A failure of run other than
 * SW_ETIME becomes a message at once. sender must stay where it is. */
int swi_sender_start(struct swi_sender *sender, const char *name,
                     int (*run)(void *arg, struct sw_error *err), void *arg, struct sw_error *err);

/* Keeps a message; for the thread. sender: a struct swi_sender, as for a swi_message_fn. */
void swi_sender_say(void *sender, int level, const char *text);

/* Calls tell, on the calling thread, for each message that waits. */
void swi_sender_hear(struct swi_sender *sender, swi_message_fn *tell, void *arg);

/* Waits until run has returned, for at most four fifths of the time that is left until the deadline
 * (core/clock/now.h): then `late` is told, and the asker is cancelled. Tells the messages
 * that wait, and ends the sender, whose rc is what run returned. Returns false if the thread hangs
 * where nothing can end it, in the resolver of names: everything that it uses must be kept, and its
 * code never unloaded. */
bool swi_sender_end(struct swi_sender *sender, struct swi_asker *asker, const struct sw_run *run,
                    int64_t deadline_ns, const char *late, swi_message_fn *tell, void *arg);

#endif
