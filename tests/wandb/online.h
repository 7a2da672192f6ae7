/* SPDX-License-Identifier: MIT */
/* online.h - a run of the sink wandb that is uploaded to the stand-in for the service, for tests of
 * what goes wrong on the way. */
#ifndef TESTS_WANDB_ONLINE_H
#define TESTS_WANDB_ONLINE_H

#include "tests/support/host.h"
#include "tests/support/service.h"
#include "tests/support/suite.h"

#include <sys/types.h>

/* How many rows online_train() logs: "loss" from 0. */
enum { ONLINE_ROWS = 40 };

/* The key that the program has. */
extern const char online_key[];

struct swi_wandb_service;
struct swi_wandb_key;

/* A service at this address, and a key for it, for parts of an upload. They live until the next
 * call. */
const struct swi_wandb_service *online_service(const char *url);
const struct swi_wandb_key *online_key_of(const char *text);

/* The environment of a program that uploads there (NULL: nowhere) and has nothing of whoever runs
 * the tests. */
void online_environment(const struct service *service);

/* Starts the service, with that environment; NULL without what is needed for it. */
struct service *online_begin(const char *arguments);

/* A test that has the service, as `service`, for as long as it lasts, in a scratch folder;
 * arguments: as for online_begin(). `_i` is the round of a loop test. Without what is needed for
 * it, it says SKIP. */
#define SERVICE_TEST(name, arguments)                                                              \
    static void name##_with(struct service *service, int _i);                                      \
    START_TEST(name)                                                                               \
    {                                                                                              \
        struct service *service = online_begin(arguments);                                         \
        if (!service)                                                                              \
            return;                                                                                \
        name##_with(service, _i);                                                                  \
        service_close(service);                                                                    \
    }                                                                                              \
    END_TEST                                                                                       \
    static void name##_with(struct service *service __attribute__((unused)),                       \
                            int _i __attribute__((unused)))

/* Opens the sink in mode online; options: more of them, one a line; patience: close_timeout. */
struct host *online_open(const char *options, const char *patience);
void online_train(struct host *host);

/* A whole run by the sink, and its messages, with what sw_close() says. patience: what the end of
 * the program waits. */
const char *online_run(const char *patience);

/* The same run written to a file, uploaded by sw_wandb_sync(), which gives up after so long. */
const char *online_sync(double timeout_s);
/* Uploads that file once more. */
const char *online_sync_again(double timeout_s);

/* The service has everything of the run: each row once and in order, config, summary, files, exit
 * code 0. */
void online_arrived(struct service *service);

/* How many rows of online_train() are in the run's file, which must be whole up to its end; and
 * whether the file says how the run ended. */
int online_rows_in_file(bool *ended);

/* The key is in no file below the working folder, in no message, and in no request except the
 * Authorization header of those to the configured host. */
void online_key_is_kept(struct service *service, const char *messages);

#endif
