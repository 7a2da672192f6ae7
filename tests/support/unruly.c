/* SPDX-License-Identifier: MIT */
#include "tests/support/unruly.h"

#include <check.h>
#include <pthread.h>
#include <semaphore.h>
#include <time.h>
#include <unistd.h>

struct unruly_log unruly, listener;

struct options {
    struct sw_sink *sink;
    const char *fail;
    int64_t at;
    const char *error;
    const char *block;
    int64_t say;
    int64_t full;
    bool narrow;
    bool stop;
};

static const struct sw_option options[] = {
    {.name = "fail",
     .type = SW_OPTION_CHOICE,
     .offset = offsetof(struct options, fail),
     .fallback = "nothing",
     .choices = "nothing|open|record|flush|close",
     .help = "which callback fails"},
    {.name = "at",
     .type = SW_OPTION_INT,
     .offset = offsetof(struct options, at),
     .fallback = "-1",
     .help = "number of the record, -1 is all"},
    {.name = "error",
     .type = SW_OPTION_STRING,
     .offset = offsetof(struct options, error),
     .fallback = "the moon is full",
     .help = "what it says when it fails"},
    {.name = "block",
     .type = SW_OPTION_CHOICE,
     .offset = offsetof(struct options, block),
     .fallback = "nothing",
     .choices = "nothing|open|record|close",
     .help = "which callback blocks"},
    {.name = "say",
     .type = SW_OPTION_INT,
     .offset = offsetof(struct options, say),
     .fallback = "0",
     .help = "messages at open"},
    {.name = "full",
     .type = SW_OPTION_INT,
     .offset = offsetof(struct options, full),
     .fallback = "0",
     .help = "how often its disk is full at open"},
    {.name = "narrow",
     .type = SW_OPTION_BOOL,
     .offset = offsetof(struct options, narrow),
     .fallback = "false",
     .help = "wants hyper-parameters only"},
    {.name = "stop",
     .type = SW_OPTION_BOOL,
     .offset = offsetof(struct options, stop),
     .fallback = "false",
     .help = "asks to stop at open"},
    {.name = NULL},
};

/* ---- misbehaving ----------------------------------------------------------------------------- */

static pthread_mutex_t gate_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t gate_change = PTHREAD_COND_INITIALIZER;
static bool gate_open;

void unruly_release(void)
{
    pthread_mutex_lock(&gate_lock);
    gate_open = true;
    pthread_cond_broadcast(&gate_change);
    pthread_mutex_unlock(&gate_lock);
}

static void block(void)
{
    pthread_mutex_lock(&gate_lock);
    while (!gate_open)
        pthread_cond_wait(&gate_change, &gate_lock);
    pthread_mutex_unlock(&gate_lock);
}

/* "" gives no reason at all, "garbage" a text that does not end; "write" and "finish" take the file
 * of somebody else. */
static int refuse(const struct options *o, struct sw_error *err)
{
    if (strcmp(o->error, "write") == 0)
        return sw_sink_write(o->sink, stdout, "", 0, err);
    if (strcmp(o->error, "finish") == 0)
        return sw_sink_finish(o->sink, stdout, NULL, err);
    if (strcmp(o->error, "garbage") == 0)
        memset(err->short_, 0x9b, sizeof err->short_);
    else if (*o->error)
        return sw_error_set(err, SW_EIO, "%s", o->error);
    return -1;
}

static int act(const struct options *o, const char *where, struct sw_error *err)
{
    if (strcmp(o->block, where) == 0)
        block();
    return strcmp(o->fail, where) == 0 ? refuse(o, err) : 0;
}

/* ---- the callbacks --------------------------------------------------------------------------- */

/* Instances of one sink share its log. */
static void keep(struct unruly_log *log, const struct sw_record *record)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&lock);
    int i = log->records < UNRULY_MAX ? log->records : UNRULY_MAX - 1;
    log->type[i] = record->type;
    log->value[i] = record->type == SW_RECORD_METRICS && record->metrics.count
                        ? sw_record_metric(record, 0)->value
                    : record->type == SW_RECORD_HPARAM ? (double)record->hparam->integer
                                                       : 0;
    log->records = i + 1;
    pthread_mutex_unlock(&lock);
}

static int unruly_open_it(void *state, struct sw_sink *sink, struct sw_error *err)
{
    struct options *o = state;
    o->sink = sink;
    if (strcmp(sink->name, "unruly") == 0)
        pthread_getname_np(pthread_self(), unruly.thread, sizeof unruly.thread);
    for (int64_t i = 0; i < o->say; i++)
        sw_sink_say(sink, SW_NOTE, "message \033[2J%" PRId64, i);
    if (o->narrow)
        sw_sink_want(sink, SW_WANT(SW_RECORD_HPARAM) | SW_WANT(SW_RECORD_END));
    if (o->stop)
        sw_sink_stop(sink);
    unruly.opened++;
    if (unruly.opened <= o->full)
        return sw_error_set(err, SW_EFULL, "out.txt: No space left on device");
    return act(o, "open", err);
}

static int unruly_record(void *state, const struct sw_record *record, struct sw_error *err)
{
    const struct options *o = state;
    int i = unruly.records;
    keep(&unruly, record);
    return o->at < 0 || o->at == i ? act(o, "record", err) : 0;
}

static int unruly_flush(void *state, struct sw_error *err)
{
    unruly.flushed++;
    return act(state, "flush", err);
}

static int unruly_close(void *state, struct sw_error *err)
{
    int rc = act(state, "close", err);
    unruly.closed++;
    return rc;
}

static int listener_open(void *state, struct sw_sink *sink, struct sw_error *err)
{
    (void)state;
    (void)sink;
    (void)err;
    listener.opened++;
    return 0;
}

static int listener_record(void *state, const struct sw_record *record, struct sw_error *err)
{
    (void)state;
    (void)err;
    keep(&listener, record);
    return 0;
}

static int listener_close(void *state, struct sw_error *err)
{
    (void)state;
    (void)err;
    listener.closed++;
    return 0;
}

/* Not windows: the tests count what the program says. */
#define ALL ((SW_WANT(SW_RECORD_TYPES) - 1) & ~SW_WANT(SW_RECORD_WINDOW))

static const struct sw_sink_plugin plugins[] = {
    {SW_SINK_HEADER, .name = "unruly", .version = "1.0", .license = "MIT",
     .summary = "misbehaves, for tests", .wants = ALL, .queue = SW_QUEUE_DROP_NEWEST,
     .queue_records = 8, .options = options, .state_size = sizeof(struct options),
     .open = unruly_open_it, .record = unruly_record, .flush = unruly_flush, .close = unruly_close},
    {SW_SINK_HEADER, .name = "unruly_newest", .version = "1.0", .license = "MIT",
     .summary = "misbehaves, and wants the newest records", .wants = ALL,
     .queue = SW_QUEUE_DROP_OLDEST, .queue_records = 8, .options = options,
     .state_size = sizeof(struct options), .open = unruly_open_it, .record = unruly_record,
     .flush = unruly_flush, .close = unruly_close},
    {SW_SINK_HEADER, .name = "listener", .version = "1.0", .license = "MIT",
     .summary = "listens, for tests", .wants = ALL, .queue = SW_QUEUE_DROP_NEWEST, .state_size = 1,
     .open = listener_open, .record = listener_record, .close = listener_close},
};

/* ---- the profiler ---------------------------------------------------------------------------- */

atomic_int unruly_message_count;
static char messages[1 << 16];
static pthread_mutex_t messages_lock = PTHREAD_MUTEX_INITIALIZER;

static void message(void *arg, enum sw_level level, const char *text)
{
    static const char *const names[] = {"note", "warning", "error"};
    (void)arg;
    pthread_mutex_lock(&messages_lock);
    size_t used = strlen(messages);
    snprintf(messages + used, sizeof messages - used, "%s: %s\n", names[level], text);
    pthread_mutex_unlock(&messages_lock);
    unruly_message_count++;
}

const char *unruly_messages(void)
{
    static char copy[sizeof messages];
    pthread_mutex_lock(&messages_lock);
    memcpy(copy, messages, sizeof copy);
    pthread_mutex_unlock(&messages_lock);
    return copy;
}

static void plugins_register(void)
{
    struct sw_error err;
    for (size_t i = 0; i < sizeof plugins / sizeof *plugins; i++)
        ck_assert_msg(sw_sink_register(&plugins[i], NULL, &err) == 0, "%s", sw_error_text(&err));
}

struct sw_profiler *unruly_open(const char *sinks)
{
    char yaml[1024];
    struct sw_error err;
    plugins_register();
    snprintf(yaml, sizeof yaml,
             "profiler: { show_report: false, signals: false, close_timeout: 200ms }\n"
             "logger_callback: [ %s ]\n",
             sinks);
    struct sw_profiler *sw = sw_open_text(yaml, &err);
    ck_assert_msg(sw != NULL, "%s", sw_error_text(&err));
    sw_set_messages(sw, message, NULL);
    return sw;
}

void unruly_wait(const atomic_int *counter, int count)
{
    const struct timespec pause = {.tv_nsec = 2000000};
    for (int i = 0; i < 10000; i++) {
        if (atomic_load(counter) >= count)
            return;
        nanosleep(&pause, NULL);
    }
    ck_abort_msg("it took too long");
}
