/* SPDX-License-Identifier: MIT */
/* service.h - the stand-in for the service, tests/wandb/server, for a test in C: started on a free
 * port of this machine, told what to do wrong, asked what it got. It ends with the test. */
#ifndef TESTS_SERVICE_H
#define TESTS_SERVICE_H

#include <jansson.h>
#include <stdbool.h>

struct service;

/* arguments: words apart by a blank, see tests/wandb/server/__main__.py. NULL if there is nothing
 * to run it with; a line that begins with SKIP was printed then. */
struct service *service_open(const char *arguments);

const char *service_url(const struct service *service);
const char *service_other_url(const struct service *service); /* of another host */
const char *service_ca(const struct service *service);        /* its certificate, or NULL */
const char *service_folder(const struct service *service);

/* Gives a command, such as "fault mute on=file_stream times=2"; the test fails if it is unknown. */
void service_say(struct service *service, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* All that it knows; the caller's to decref. */
json_t *service_state(struct service *service);

/* The only run that it has, borrowed from its state; NULL if it has none. */
json_t *service_run(json_t *state);

/* All requests so far, in their order; the caller's to decref. */
json_t *service_requests(struct service *service);

/* How many requests of this operation came ("any": of all). */
int service_count(struct service *service, const char *operation);

/* Waits until so many came; the test fails where that takes 60 s. */
void service_wait(struct service *service, const char *operation, int count);

/* Waits until this holds for its state; the test fails where that takes 60 s. */
void service_wait_until(struct service *service, bool (*holds)(json_t *state, void *arg),
                        void *arg);

void service_close(struct service *service);

#endif
