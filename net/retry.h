/* SPDX-License-Identifier: MIT */
/* retry.h - decides whether and when a request is sent again. It uses neither a clock nor the
 * network. */
#ifndef NET_RETRY_H
#define NET_RETRY_H

#include <stdbool.h>

/* The purpose of a request, which decides how long to retry. */
enum swi_retry {
    SWI_RETRY_STREAM,  /* rows: a week */
    SWI_RETRY_GRAPHQL, /* a question, or upload addresses: 20 tries */
    SWI_RETRY_UPSERT,  /* the run itself: 20 tries, and a conflict is tried again too */
    SWI_RETRY_LOOK,    /* a question that rows wait for: a week */
    SWI_RETRY_FILE,    /* a file's bytes: 20 tries, only if the server or the connection failed */
    SWI_RETRY_BUSY,    /* a week, and only if the server or the connection is busy or failed */
    SWI_RETRY_NEVER    /* requests that are repeated later anyway */
};

/* The result of a request. */
struct swi_outcome {
    int status;           /* of HTTP; 0: there was no answer */
    bool hopeless;        /* there was no answer and there will be none: a certificate, a scheme */
    double retry_after_s; /* the wait that the server asked for; negative: none */
};

/* Returns whether to try again after this many tries (1: the first one has just failed). */
bool swi_retry_again(enum swi_retry kind, const struct swi_outcome *outcome, int tries);

/* Returns whether the wait until then is the one that the server asked for. */
bool swi_retry_is_asked(const struct swi_outcome *outcome, int tries);

/* Returns the seconds until then. jitter: 0 to 1, spreads clients that failed together. */
double swi_retry_wait_s(const struct swi_outcome *outcome, int tries, double jitter);

/* Parses the value of a Retry-After header: seconds or an HTTP date, which libcurl reads, so it
 * must be loaded. Returns a negative number if it is neither. */
double swi_retry_after_s(const char *value, double now_s);

/* Returns the seconds to wait between two requests if this many are left until the limit is reset.
 */
double swi_retry_gap_s(double remaining, double reset_s);

#endif
