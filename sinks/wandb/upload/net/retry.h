/* SPDX-License-Identifier: MIT */
/* retry.h - whether and when a request is sent again. No clock, no network: what is known goes in,
 * a decision comes out. */
#ifndef SINKS_WANDB_UPLOAD_NET_RETRY_H
#define SINKS_WANDB_UPLOAD_NET_RETRY_H

#include <stdbool.h>

/* What a request is for: each kind has its own patience. */
enum swi_retry {
    SWI_RETRY_STREAM,  /* rows: a week */
    SWI_RETRY_GRAPHQL, /* a question, or upload addresses: 20 tries */
    SWI_RETRY_UPSERT,  /* the run itself: 20 tries, and a conflict is tried again too */
    SWI_RETRY_LOOK,    /* a question that rows wait for: a week */
    SWI_RETRY_FILE,    /* a file's bytes: 20 tries, only where the server or the way to it failed */
    SWI_RETRY_NEVER    /* what is asked again in a while anyway */
};

/* How a request ended. */
struct swi_outcome {
    int status;           /* of HTTP; 0: no answer came */
    bool hopeless;        /* no answer came, and none will: a certificate, a scheme */
    double retry_after_s; /* what the server asked for; negative: nothing */
};

/* Whether to try again after so many tries (1: the first one has just failed). */
bool swi_retry_again(enum swi_retry kind, const struct swi_outcome *outcome, int tries);

/* Seconds until then. chance: 0 to 1, spreads clients that failed together. */
double swi_retry_wait_s(const struct swi_outcome *outcome, int tries, double chance);

/* The value of a Retry-After header: seconds, or a date of HTTP; negative where it is neither. */
double swi_retry_after_s(const char *value, double now_s);

/* Seconds to leave between two requests when so many are left until the limit is reset. */
double swi_retry_gap_s(double remaining, double reset_s);

#endif
