/* SPDX-License-Identifier: MIT */
/* fickle.c - a sink that wants steps and may be slow, hang, fail, crash or end its thread at any of
 * them: the option table says how. */
#include <stepwatch/sink.h>

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct fickle {
    int64_t wait_ns;
    const char *hang;
    const char *fail;
    int64_t after;
    const char *error;
    const char *crash;
    const char *ends;
    const char *cancels;
    const char *marks;
    int64_t steps;
    int fd;
};

static const struct sw_option options[] = {
    {.name = "wait",
     .type = SW_OPTION_DURATION,
     .offset = offsetof(struct fickle, wait_ns),
     .fallback = "0s",
     .help = "how long it takes for a step"},
    {.name = "hang",
     .type = SW_OPTION_CHOICE,
     .offset = offsetof(struct fickle, hang),
     .fallback = "never",
     .choices = "never|open|record|flush|close",
     .help = "which callback never returns"},
    {.name = "fail",
     .type = SW_OPTION_CHOICE,
     .offset = offsetof(struct fickle, fail),
     .fallback = "never",
     .choices = "never|open|record|sometimes|close",
     .help = "which callback fails; sometimes: each third step"},
    {.name = "after",
     .type = SW_OPTION_INT,
     .offset = offsetof(struct fickle, after),
     .fallback = "0",
     .help = "how many steps go well before one fails, hangs or crashes"},
    {.name = "error",
     .type = SW_OPTION_CHOICE,
     .offset = offsetof(struct fickle, error),
     .fallback = "sentence",
     .choices = "sentence|nothing|garbage",
     .help = "what it says when it fails"},
    {.name = "crash",
     .type = SW_OPTION_CHOICE,
     .offset = offsetof(struct fickle, crash),
     .fallback = "never",
     .choices = "never|open|record|flush|close",
     .help = "which callback crashes"},
    {.name = "ends",
     .type = SW_OPTION_CHOICE,
     .offset = offsetof(struct fickle, ends),
     .fallback = "never",
     .choices = "never|open|record|flush|close",
     .help = "which callback ends its thread"},
    {.name = "cancels",
     .type = SW_OPTION_CHOICE,
     .offset = offsetof(struct fickle, cancels),
     .fallback = "never",
     .choices = "never|open|record|flush|close",
     .help = "which callback cancels its thread"},
    {.name = "marks",
     .type = SW_OPTION_PATH,
     .offset = offsetof(struct fickle, marks),
     .fallback = "marks",
     .help = "file that gets a byte for each step that was taken"},
    {.name = NULL},
};

/* garbage: a text that does not end. */
static int refuse(const struct fickle *fickle, struct sw_error *err)
{
    if (strcmp(fickle->error, "sentence") == 0)
        return sw_error_set(err, SW_EIO, "the moon is full");
    if (strcmp(fickle->error, "garbage") == 0)
        memset(err->short_, 0x9b, sizeof err->short_);
    return -1;
}

static void cancel_here(void)
{
    pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL);
    pthread_cancel(pthread_self());
    pthread_testcancel();
}

static int act(const struct fickle *fickle, const char *where, struct sw_error *err)
{
    if (fickle->steps < fickle->after)
        return 0;
    if (strcmp(fickle->crash, where) == 0)
        raise(SIGSEGV);
    while (strcmp(fickle->hang, where) == 0)
        pause();
    if (strcmp(fickle->ends, where) == 0)
        pthread_exit(NULL);
    if (strcmp(fickle->cancels, where) == 0)
        cancel_here();
    return strcmp(fickle->fail, where) == 0 ? refuse(fickle, err) : 0;
}

static int open_it(void *state, struct sw_sink *sink, struct sw_error *err)
{
    struct fickle *fickle = state;
    char path[4096];
    if (sw_sink_resolve(sink, fickle->marks, path, sizeof path, err) < 0)
        return err->code;
    fickle->fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    return act(fickle, "open", err);
}

static int record(void *state, const struct sw_record *record, struct sw_error *err)
{
    struct fickle *fickle = state;
    const struct timespec pause = {fickle->wait_ns / 1000000000, fickle->wait_ns % 1000000000};
    (void)record;
    nanosleep(&pause, NULL);
    int rc = act(fickle, "record", err);
    if (rc == 0 && strcmp(fickle->fail, "sometimes") == 0 && fickle->steps % 3 == 2)
        rc = refuse(fickle, err);
    fickle->steps++;
    if (rc == 0 && write(fickle->fd, ".", 1) != 1)
        rc = sw_error_set(err, SW_EIO, "no mark can be made");
    return rc;
}

static int flush(void *state, struct sw_error *err)
{
    return act(state, "flush", err);
}

static int close_it(void *state, struct sw_error *err)
{
    struct fickle *fickle = state;
    close(fickle->fd);
    return act(fickle, "close", err);
}

SW_SINK_EXPORT const struct sw_sink_plugin sw_sink_plugin = {
    SW_SINK_HEADER,
    .name = "fickle",
    .version = "1.0",
    .license = "MIT",
    .summary = "is slow, hangs, fails or crashes, for tests",
    .wants = SW_WANT(SW_RECORD_STEP),
    .queue = SW_QUEUE_DROP_NEWEST,
    .queue_records = 128,
    .options = options,
    .state_size = sizeof(struct fickle),
    .open = open_it,
    .record = record,
    .flush = flush,
    .close = close_it,
};
