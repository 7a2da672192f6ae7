/* SPDX-License-Identifier: MIT */
/* flusher.h - a thread that writes out what waits while the program calls nothing. */
#ifndef TENSORBOARD_FLUSHER_H
#define TENSORBOARD_FLUSHER_H

#include "sinks/tensorboard/writer/frames.h"

#include <pthread.h>

/* The thread is there while values come, and for one interval more: a program whose main thread has
 * ended does not go on for it. */
struct swi_tb_flusher {
    pthread_mutex_t lock;         /* of the output and of what follows */
    struct swi_tb_output *output; /* what it writes out */
    double interval_s;
    pthread_cond_t wake; /* signals the thread to end */
    pthread_t thread;
    bool made;    /* there is a thread to be joined */
    bool running; /* and it has not decided to end */
    bool stop;
    uint64_t taken; /* records so far */
};

/* interval_s: beyond a year, there is no thread. Returns 0 or an errno. */
int swi_tb_flusher_init(struct swi_tb_flusher *flusher, struct swi_tb_output *output,
                        double interval_s);

/* A record was added to the output and is to be written within the interval. With the lock held. */
void swi_tb_flusher_need(struct swi_tb_flusher *flusher);

/* Ends the thread, if there is one, and waits for it; there is no other one later. Without the
 * lock.
 */
void swi_tb_flusher_stop(struct swi_tb_flusher *flusher);

void swi_tb_flusher_fini(struct swi_tb_flusher *flusher);

#endif
