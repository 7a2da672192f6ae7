/* SPDX-License-Identifier: MIT */
#include "core/process/handlers.h"
#include "core/process/signals.h"

#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

static struct swi_taken_signal taken[] = {{.signal = SIGSEGV},
                                          {.signal = SIGBUS},
                                          {.signal = SIGFPE},
                                          {.signal = SIGILL},
                                          {.signal = SIGABRT}};
enum { FAULTS = sizeof taken / sizeof *taken };

/* Initial-exec: reading it in a signal handler allocates nothing. */
static __attribute__((tls_model("initial-exec"))) _Thread_local const char *volatile blamed_kind,
    *volatile blamed;
static __attribute__((tls_model("initial-exec"))) _Thread_local volatile int written;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int watchers;

struct swi_blamed swi_fault_blame(const char *kind, const char *name)
{
    struct swi_blamed before = {blamed_kind, blamed};
    blamed_kind = kind;
    blamed = name;
    return before;
}

/* ---- in the handler -------------------------------------------------------------------------- */

static char *add(char *to, const char *end, const char *text)
{
    while (*text && to < end)
        *to++ = *text++;
    return to;
}

static void last_words(int signal)
{
    char line[128], *at = line, *end = line + sizeof line;
    const char *name = swi_signal_name(signal);
    at = add(at, end, "stepwatch: error: ");
    at = add(at, end, blamed_kind);
    at = add(at, end, " ");
    at = add(at, end, blamed);
    at = add(at, end, " crashed, which ends the program: ");
    at = add(at, end, name ? name : "a signal");
    at = add(at, end, "\n");
    if (write(STDERR_FILENO, line, (size_t)(at - line)) < 0)
        return;
}

static void pass_on(int signal)
{
    for (int i = 0; i < FAULTS; i++)
        if (taken[i].signal == signal)
            swi_taken_signal_pass_on(&taken[i]);
}

/* An alternate stack is small: on a processor with wide registers, it has no room for the frames of
 * two signals, and the kernel kills a program that calls abort() there with SIGSEGV. */
static bool on_small_stack(void)
{
    stack_t stack;
    return sigaltstack(NULL, &stack) == 0 && (stack.ss_flags & SS_ONSTACK);
}

/* A fault occurs again when the instruction is repeated, now with the action before ours, which may
 * abort() when it has printed what it knows. A signal that was sent must be raised again. */
static void on_fault(int signal, siginfo_t *info, void *context)
{
    (void)context;
    if (!written) {
        written = 1;
        if (blamed)
            last_words(signal);
        swi_signals_crash(signal);
    }
    pass_on(signal);
    if (on_small_stack())
        pass_on(SIGABRT);
    if (info->si_code <= 0)
        raise(signal);
}

/* ---- watching -------------------------------------------------------------------------------- */

static struct sigaction ours(void)
{
    struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    swi_handler_mark(&action);
    return action;
}

void swi_fault_child(void)
{
    pthread_mutex_init(&lock, NULL);
    watchers = 0;
    blamed = NULL;
}

void swi_fault_watch(void)
{
    const struct sigaction action = ours();
    pthread_mutex_lock(&lock);
    if (watchers++ == 0)
        swi_taken_signals_set(taken, FAULTS, &action);
    pthread_mutex_unlock(&lock);
}

void swi_fault_unwatch(void)
{
    const struct sigaction action = ours();
    pthread_mutex_lock(&lock);
    if (--watchers == 0)
        swi_taken_signals_restore(taken, FAULTS, &action);
    pthread_mutex_unlock(&lock);
}
