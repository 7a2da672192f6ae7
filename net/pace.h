/* SPDX-License-Identifier: MIT */
/* pace.h - the waits of an upload: between two tries, and for something to send. Other threads end
 * them. */
#ifndef NET_PACE_H
#define NET_PACE_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

struct swi_pace {
    int64_t deadline_ns;      /* CLOCK_MONOTONIC; 0: none */
    bool (*ended)(void *arg); /* called a few times a second; may be NULL */
    void *arg;

    pthread_mutex_t lock; /* protects the rest */
    pthread_cond_t changed;
    bool hurried;   /* the program ends: waits are short */
    bool cancelled; /* nothing more is sent */
    bool woken;
    uint64_t chance; /* state of the random jitter */
};

void swi_pace_init(struct swi_pace *pace, bool (*ended)(void *arg), void *arg);
void swi_pace_fini(struct swi_pace *pace);

/* Any thread may call these. */
void swi_pace_cancel(struct swi_pace *pace);
void swi_pace_hurry(struct swi_pace *pace);
void swi_pace_wake(struct swi_pace *pace); /* ends a wait */

/* Returns whether it was cancelled, has ended or is past its deadline. arg: the pace, so that it
 * can be struct swi_http_options.ended. */
bool swi_pace_is_over(void *arg);

/* Waits. Returns false if it is over, and true also if swi_pace_wake() ended the wait. */
bool swi_pace_wait(struct swi_pace *pace, double seconds);

/* Waits before the next try; a wake does not end that, but it is short if the program ends. asked:
 * the server asked for the wait, so it is never shorter. Returns false if it is over. */
bool swi_pace_wait_retry(struct swi_pace *pace, double seconds, bool asked);

/* Returns a random number from 0 to 1, for swi_retry_wait_s(). */
double swi_pace_chance(struct swi_pace *pace);

#endif
