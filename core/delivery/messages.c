/* SPDX-License-Identifier: MIT */
#include "core/delivery/messages.h"
#include "core/files/file.h"
#include "core/process/child.h"
#include "core/text/printable.h"
#include "core/process/own_thread.h"

#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { SETTLE_MS = 100 };

/* Removes a SIGPIPE that this thread received while it was blocked. */
static void sigpipe_discard(const sigset_t *pipe_only)
{
    static const struct timespec now = {0};
    sigset_t pending;
    if (sigpending(&pending) == 0 && sigismember(&pending, SIGPIPE) == 1)
        sigtimedwait(pipe_only, NULL, &now);
}

/* Prints a whole line. If the reader of stderr is gone, SIGPIPE must not end the program. printf()
 * would need another 8 KiB of the stack for an unbuffered stream. */
static void print(const char *line)
{
    sigset_t pipe_only, old;
    sigemptyset(&pipe_only);
    sigaddset(&pipe_only, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipe_only, &old);
    if (swi_standard_is_output(fileno(stderr)))
        fputs(line, stderr);
    if (sigismember(&old, SIGPIPE) == 0) {
        sigpipe_discard(&pipe_only);
        pthread_sigmask(SIG_SETMASK, &old, NULL);
    }
}

static void line_make(char *line, size_t size, enum sw_level level, const char *text)
{
    static const char *const names[] = {"", "warning: ", "error: "};
    snprintf(line, size, "stepwatch: %s%s\n", names[level], text);
}

/* arg: the messages, whose memory it uses. */
static void to_stderr(void *arg, enum sw_level level, const char *text)
{
    struct swi_messages *messages = arg;
    line_make(messages->line, sizeof messages->line, level, text);
    swi_live_line_aside(&messages->live);
    print(messages->line);
    swi_live_line_again(&messages->live);
}

void swi_messages_init(struct swi_messages *messages)
{
    pthread_mutex_init(&messages->lock, NULL);
    swi_live_line_init(&messages->live);
    messages->fn = to_stderr;
    messages->arg = messages;
}

void swi_messages_fini(struct swi_messages *messages)
{
    swi_live_line_fini(&messages->live);
    pthread_mutex_destroy(&messages->lock);
}

/* Returns an address that is different in each thread. */
static const void *me(void)
{
    static _Thread_local char here;
    return &here;
}

/* Returns whether this is a call from within fn. Then this thread holds the lock. */
static bool is_speaker(struct swi_messages *messages)
{
    return atomic_load(&messages->speaker) == me();
}

void swi_messages_set(struct swi_messages *messages, sw_message_fn *fn, void *arg)
{
    bool within = is_speaker(messages);
    if (!within)
        pthread_mutex_lock(&messages->lock);
    messages->fn = fn;
    messages->arg = arg;
    if (!within)
        pthread_mutex_unlock(&messages->lock);
}

/* Call it with the lock held. */
static void speak(struct swi_messages *messages, enum sw_level level)
{
    swi_printable(messages->shown, sizeof messages->shown, messages->text);
    atomic_store(&messages->speaker, me());
    messages->fn(messages->arg, level, messages->shown);
    atomic_store(&messages->speaker, NULL);
}

/* Prints a message of a call from within fn. fn is not called again while it runs, and the texts of
 * the struct are in use. */
__attribute__((format(printf, 2, 0))) static void say_within(enum sw_level level,
                                                             const char *format, va_list args)
{
    enum { SHORT = 1024 };
    char text[SHORT], shown[SHORT], line[SHORT + 32];
    vsnprintf(text, sizeof text, format, args);
    swi_printable(shown, sizeof shown, text);
    line_make(line, sizeof line, level, shown);
    print(line);
}

__attribute__((format(printf, 4, 0))) static void say(struct swi_messages *messages,
                                                      const atomic_bool *silent,
                                                      enum sw_level level, const char *format,
                                                      va_list args)
{
    if (swi_is_child())
        return;
    int cancel = swi_cancel_hold();
    if (is_speaker(messages)) {
        say_within(level, format, args);
    } else {
        pthread_mutex_lock(&messages->lock);
        vsnprintf(messages->text, sizeof messages->text, format, args);
        if (messages->fn && !(silent && atomic_load(silent)))
            speak(messages, level);
        pthread_mutex_unlock(&messages->lock);
    }
    swi_cancel_release(cancel);
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

void swi_messages_child(struct swi_messages *messages)
{
    pthread_mutex_init(&messages->lock, NULL);
    swi_live_line_child(&messages->live);
    atomic_store(&messages->speaker, NULL);
}

/* Bypasses stdio: after _Fork(), its lock may be held by a thread that does not exist here. A
 * function of the program may wait for any other lock, so it is not called then. */
void swi_say_in_child(struct swi_messages *messages, const char *text)
{
    char line[512];
    if (messages->fn == to_stderr) {
        line_make(line, sizeof line, SW_WARNING, text);
        if (write(STDERR_FILENO, line, strlen(line)) < 0)
            return;
    } else if (messages->fn && !swi_is_copy()) {
        messages->fn(messages->arg, SW_WARNING, text);
    }
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
