/* SPDX-License-Identifier: MIT */
#include "core/delivery/messages.h"

#include "core/clock/now.h"
#include "core/files/file.h"
#include "core/process/child.h"
#include "core/process/own_thread.h"
#include "core/process/signals.h"
#include "core/text/printable.h"

#include <stepwatch/error.h>

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* ---- the line that a sink shows on a terminal, and other output to the same terminal --------- */

static void live_line_init(struct swi_live_line *line)
{
    *line = (struct swi_live_line){.fd = -1};
    pthread_mutex_init(&line->lock, NULL);
}

static void live_line_fini(struct swi_live_line *line)
{
    swi_text_free(&line->wipe);
    pthread_mutex_destroy(&line->lock);
}

/* Call it in the child of a fork. The line belongs to the parent. */
static void live_line_child(struct swi_live_line *line)
{
    pthread_mutex_init(&line->lock, NULL);
    line->shown = false;
}

/* ---- with the lock --------------------------------------------------------------------------- */

/* Errors are ignored: the line was written in one piece, so a terminal that does not take a few
 * more bytes is gone. */
static void wipe(struct swi_live_line *line)
{
    if (!line->shown)
        return;
    line->shown = false;
    ssize_t written = write(line->fd, line->wipe.data, line->wipe.size);
    (void)written;
}

/* Lets the program print many lines in a row, and a line in several pieces. */
static bool is_resting(const struct swi_live_line *line)
{
    bool lately = line->printed_ns && swi_now_ns() - line->printed_ns < SWI_LIVE_REST_NS;
    return line->unended || lately;
}

static int show(struct swi_live_line *line, int fd, const char *wiping, const char *text)
{
    bool stays = !*wiping;
    if (!stays && is_resting(line))
        return 0;
    line->wipe.size = 0;
    swi_text_put(&line->wipe, wiping);
    if (line->wipe.failed)
        return 0;
    if (write(fd, text, strlen(text)) < 0)
        return errno == EAGAIN || errno == EINTR ? 0 : SW_EIO;
    line->fd = fd;
    line->shown = !stays;
    return 1;
}

/* ---- shown and printed ----------------------------------------------------------------------- */

int swi_live_line_show(struct swi_live_line *line, int fd, const char *wiping, const char *text)
{
    int rc = 0;
    pthread_mutex_lock(&line->lock);
    if (*text)
        rc = show(line, fd, wiping, text);
    else
        wipe(line);
    pthread_mutex_unlock(&line->lock);
    return rc;
}

static void live_line_lock(struct swi_live_line *line)
{
    pthread_mutex_lock(&line->lock);
    wipe(line);
}

/* Call these before and after output to stderr. The line is not shown in between. */
static void live_line_unlock(struct swi_live_line *line)
{
    pthread_mutex_unlock(&line->lock);
}

bool swi_live_line_print(struct swi_live_line *line, const char *text, size_t size)
{
    pthread_mutex_lock(&line->lock);
    /* Text in the buffer of stdout would be printed in the middle of the live line. */
    bool beside = line->fd >= 0;
    atomic_store_explicit(&line->used, true, memory_order_relaxed);
    wipe(line);
    bool good = fwrite(text, 1, size, stdout) == size;
    if (beside && fflush(stdout) != 0)
        good = false;
    line->unended = size > 0 ? text[size - 1] != '\n' : line->unended;
    line->printed_ns = swi_now_ns();
    pthread_mutex_unlock(&line->lock);
    return good;
}

/* ---- messages to the user, one line each, safe for a terminal -------------------------------- */

/* How long a thread waits for the message of another one. */
enum { SETTLE_MS = 100, PATIENCE_MS = 1000 };

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

/* A pipe that nobody reads must not keep the program from ending. */
static bool takes_more(const struct swi_messages *messages)
{
    struct pollfd stream = {.fd = STDERR_FILENO, .events = POLLOUT};
    return !atomic_load(&messages->ending) || poll(&stream, 1, PATIENCE_MS) != 0;
}

/* arg: the messages, whose memory it uses. */
static void to_stderr(void *arg, enum sw_level level, const char *text)
{
    struct swi_messages *messages = arg;
    if (!takes_more(messages))
        return;
    line_make(messages->line, sizeof messages->line, level, text);
    live_line_lock(&messages->live);
    print(messages->line);
    live_line_unlock(&messages->live);
}

static void lock_init(pthread_mutex_t *lock)
{
    pthread_mutexattr_t kind;
    pthread_mutexattr_init(&kind);
    pthread_mutexattr_setrobust(&kind, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(lock, &kind);
    pthread_mutexattr_destroy(&kind);
}

void swi_messages_init(struct swi_messages *messages)
{
    lock_init(&messages->lock);
    live_line_init(&messages->live);
    atomic_init(&messages->fn, to_stderr);
    messages->arg = messages;
    atomic_init(&messages->hung, false);
    atomic_init(&messages->ending, false);
}

void swi_messages_fini(struct swi_messages *messages)
{
    live_line_fini(&messages->live);
    pthread_mutex_destroy(&messages->lock);
}

/* In each thread: whether it is within fn. Initial-exec: reading it in a signal handler allocates
 * nothing. */
static __attribute__((tls_model("initial-exec"))) _Thread_local bool volatile sends;

bool swi_message_is_sent(void)
{
    return sends;
}

/* Returns whether this is a call from within fn. Then this thread holds the lock. */
static bool is_speaker(struct swi_messages *messages)
{
    return atomic_load(&messages->speaker) == (const void *)&sends;
}

/* The owner of the lock has ended within fn. */
static int take_over(struct swi_messages *messages)
{
    atomic_store(&messages->speaker, NULL);
    return pthread_mutex_consistent(&messages->lock);
}

/* Takes the lock, if that is possible within a time. Looks instead of waiting, because the program
 * may have replaced the clock. */
static bool lock_soon(struct swi_messages *messages, int patience_ms)
{
    int rc;
    while ((rc = pthread_mutex_trylock(&messages->lock)) == EBUSY && patience_ms-- > 0)
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    if (rc == EOWNERDEAD)
        rc = take_over(messages);
    return rc == 0;
}

/* Takes the lock. Once fn has kept a thread waiting for too long, others do not wait for it. */
static bool lock(struct swi_messages *messages)
{
    bool taken = lock_soon(messages, atomic_load(&messages->hung) ? 0 : PATIENCE_MS);
    atomic_store(&messages->hung, !taken);
    return taken;
}

bool swi_messages_are_idle(struct swi_messages *messages)
{
    bool idle = lock_soon(messages, 0);
    if (idle)
        pthread_mutex_unlock(&messages->lock);
    return idle;
}

void swi_messages_set(struct swi_messages *messages, sw_message_fn *fn, void *arg)
{
    bool taken = !is_speaker(messages) && lock(messages);
    messages->arg = arg;
    atomic_store(&messages->fn, fn);
    if (taken)
        pthread_mutex_unlock(&messages->lock);
}

void swi_messages_end(struct swi_messages *messages)
{
    atomic_store(&messages->ending, true);
}

/* Call it with the lock held. A crash of the program's function is not that of a sink on whose
 * thread it runs. */
static void speak(struct swi_messages *messages, sw_message_fn *fn, enum sw_level level)
{
    bool own = fn == to_stderr || atomic_load(&messages->ending);
    struct swi_blamed before = {0};
    swi_printable(messages->shown, sizeof messages->shown, messages->text);
    atomic_store(&messages->speaker, (const void *)&sends);
    if (!own) {
        sends = true;
        before = swi_fault_blame("function for", "messages");
    }
    if (own)
        to_stderr(messages, level, messages->shown);
    else
        fn(messages->arg, level, messages->shown);
    if (!own) {
        swi_fault_blame(before.kind, before.name);
        sends = false;
    }
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
    bool within = is_speaker(messages), taken = !within && lock(messages);
    sw_message_fn *fn = atomic_load(&messages->fn);
    bool wanted = fn && !(silent && atomic_load(silent));
    if (taken && wanted) {
        vsnprintf(messages->text, sizeof messages->text, format, args);
        speak(messages, fn, level);
    } else if (wanted && (within || fn != to_stderr)) {
        say_within(level, format, args);
    }
    if (taken)
        pthread_mutex_unlock(&messages->lock);
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
    lock_init(&messages->lock);
    live_line_child(&messages->live);
    atomic_store(&messages->speaker, NULL);
}

/* Bypasses stdio: after _Fork(), its lock may be held by a thread that does not exist here. A
 * function of the program may wait for any other lock, so it is not called then. */
void swi_say_in_child(struct swi_messages *messages, const char *text)
{
    char line[512];
    sw_message_fn *fn = atomic_load(&messages->fn);
    if (fn == to_stderr) {
        line_make(line, sizeof line, SW_WARNING, text);
        if (write(STDERR_FILENO, line, strlen(line)) < 0)
            return;
    } else if (fn && !swi_is_copy()) {
        fn(messages->arg, SW_WARNING, text);
    }
}

void swi_messages_settle(struct swi_messages *messages)
{
    if (lock_soon(messages, SETTLE_MS))
        pthread_mutex_unlock(&messages->lock);
}
