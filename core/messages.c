/* SPDX-License-Identifier: MIT */
#include "core/messages.h"
#include "core/shown.h"

#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { LINE_BYTES = 4096, SETTLE_MS = 100 };

/* Takes back a SIGPIPE that came for this thread while it was blocked. */
static void sigpipe_discard(const sigset_t *pipe_only)
{
    static const struct timespec now = {0};
    sigset_t pending;
    if (sigpending(&pending) == 0 && sigismember(&pending, SIGPIPE) == 1)
        sigtimedwait(pipe_only, NULL, &now);
}

/* Whoever read stderr may be gone: that must not end the program. */
static void to_stderr(void *arg, enum sw_level level, const char *text)
{
    static const char *const names[] = {"", "warning: ", "error: "};
    sigset_t pipe_only, old;
    (void)arg;
    sigemptyset(&pipe_only);
    sigaddset(&pipe_only, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipe_only, &old);
    fprintf(stderr, "stepwatch: %s%s\n", names[level], text);
    if (sigismember(&old, SIGPIPE) == 0) {
        sigpipe_discard(&pipe_only);
        pthread_sigmask(SIG_SETMASK, &old, NULL);
    }
}

void swi_messages_init(struct swi_messages *messages)
{
    pthread_mutex_init(&messages->lock, NULL);
    messages->fn = to_stderr;
    messages->arg = NULL;
}

void swi_messages_fini(struct swi_messages *messages)
{
    pthread_mutex_destroy(&messages->lock);
}

void swi_messages_set(struct swi_messages *messages, sw_message_fn *fn, void *arg)
{
    pthread_mutex_lock(&messages->lock);
    messages->fn = fn;
    messages->arg = arg;
    pthread_mutex_unlock(&messages->lock);
}

__attribute__((format(printf, 4, 0))) static void say(struct swi_messages *messages,
                                                      const atomic_bool *silent,
                                                      enum sw_level level, const char *format,
                                                      va_list args)
{
    char text[LINE_BYTES], shown[LINE_BYTES];
    vsnprintf(text, sizeof text, format, args);
    swi_show(shown, sizeof shown, text);
    pthread_mutex_lock(&messages->lock);
    if (messages->fn && !(silent && atomic_load(silent)))
        messages->fn(messages->arg, level, shown);
    pthread_mutex_unlock(&messages->lock);
}

void swi_say(struct swi_messages *messages, enum sw_level level, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    say(messages, NULL, level, format, args);
    va_end(args);
}

void swi_say_lines(struct swi_messages *messages, enum sw_level level, const char *text)
{
    while (*text) {
        int length = (int)strcspn(text, "\n");
        swi_say(messages, level, "%.*s", length, text);
        text += length + (text[length] == '\n');
    }
}

void swi_say_unless(struct swi_messages *messages, const atomic_bool *silent, enum sw_level level,
                    const char *format, ...)
{
    va_list args;
    va_start(args, format);
    say(messages, silent, level, format, args);
    va_end(args);
}

void swi_messages_settle(struct swi_messages *messages)
{
    const struct timespec pause = {.tv_nsec = 1000000};
    for (int i = 0; i < SETTLE_MS; i++) {
        if (pthread_mutex_trylock(&messages->lock) == 0) {
            pthread_mutex_unlock(&messages->lock);
            return;
        }
        nanosleep(&pause, NULL);
    }
}
