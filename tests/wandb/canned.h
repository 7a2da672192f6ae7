/* SPDX-License-Identifier: MIT */
/* canned.h - a server in a thread of the test: it takes requests on 127.0.0.1 and gives the answers
 * that it was told, byte by byte, in order. */
#ifndef TESTS_WANDB_CANNED_H
#define TESTS_WANDB_CANNED_H

struct canned;

/* An answer that never comes: the connection stays open. */
extern const char canned_mute[];
/* An answer of zeros without an end. */
extern const char canned_endless[];

/* answers: end with NULL; the last one is given again and again. */
struct canned *canned_open(const char *const *answers);
/* http://127.0.0.1:PORT */
const char *canned_url(const struct canned *canned);
/* All requests so far, heads and bodies, one after the other. Borrowed until the next call. */
const char *canned_requests(struct canned *canned);
/* How many connections were made, and how many requests arrived. */
int canned_connections(struct canned *canned);
int canned_count(struct canned *canned);
void canned_close(struct canned *canned);

#endif
