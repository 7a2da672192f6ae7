/* SPDX-License-Identifier: MIT */
#include "core/process/crash.h"
#include "core/process/signal_name.h"
#include "core/process/signals.h"

#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
enum { FAULTS = sizeof faults / sizeof *faults };

/* Initial-exec: reading it in a signal handler allocates nothing. */
static __attribute__((tls_model("initial-exec"))) _Thread_local const char *volatile blamed_kind,
    *volatile blamed;

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

/* A fault occurs again when the instruction is repeated, now with the default action. A signal that
 * was sent must be raised again. */
static void on_fault(int signal, siginfo_t *info, void *context)
{
    struct sigaction action = {.sa_handler = SIG_DFL};
    (void)context;
    if (blamed)
        last_words(signal);
    swi_signals_crash(signal);
    sigaction(signal, &action, NULL);
    if (info->si_code <= 0)
        raise(signal);
}

/* ---- watching -------------------------------------------------------------------------------- */

static void handlers_set(void)
{
    struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK}, old;
    for (int i = 0; i < FAULTS; i++)
        if (sigaction(faults[i], NULL, &old) == 0 && !(old.sa_flags & SA_SIGINFO) &&
            old.sa_handler == SIG_DFL)
            sigaction(faults[i], &action, NULL);
}

static void handlers_restore(void)
{
    struct sigaction action = {.sa_handler = SIG_DFL}, old;
    for (int i = 0; i < FAULTS; i++)
        if (sigaction(faults[i], NULL, &old) == 0 && (old.sa_flags & SA_SIGINFO) &&
            old.sa_sigaction == on_fault)
            sigaction(faults[i], &action, NULL);
}

void swi_fault_child(void)
{
    pthread_mutex_init(&lock, NULL);
    watchers = 0;
    blamed = NULL;
}

void swi_fault_watch(void)
{
    pthread_mutex_lock(&lock);
    if (watchers++ == 0)
        handlers_set();
    pthread_mutex_unlock(&lock);
}

void swi_fault_unwatch(void)
{
    pthread_mutex_lock(&lock);
    if (--watchers == 0)
        handlers_restore();
    pthread_mutex_unlock(&lock);
}
