/* SPDX-License-Identifier: MIT */
#include "probes/functions/libc_calls.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <stdbool.h>

static struct fn_libc libc;
static atomic_bool found;

static void find(void *place, const char *name)
{
    *(void **)place = dlsym(RTLD_NEXT, name);
}

/* Two threads that come here at once find the same. */
static void find_all(void)
{
    find(&libc.sigaction, "sigaction");
    find(&libc.signal, "signal");
    find(&libc.sysv_signal, "__sysv_signal");
    find(&libc.sigset, "sigset");
    find(&libc.setitimer, "setitimer");
    find(&libc.pthread_sigmask, "pthread_sigmask");
    find(&libc.sigprocmask, "sigprocmask");
    find(&libc.sigwait, "sigwait");
    find(&libc.sigwaitinfo, "sigwaitinfo");
    find(&libc.sigtimedwait, "sigtimedwait");
    find(&libc.signalfd, "signalfd");
    find(&libc.pthread_create, "pthread_create");
    find(&libc.thrd_create, "thrd_create");
    find(&libc.vfork, "vfork");
    find(&libc.execve, "execve");
    find(&libc.execvpe, "execvpe");
    find(&libc.fexecve, "fexecve");
    find(&libc.libc_start_main, "__libc_start_main");
    atomic_store(&found, true);
}

const struct fn_libc *fn_libc(void)
{
    if (!atomic_load(&found))
        find_all();
    return &libc;
}

__attribute__((constructor)) static void found_at_start(void)
{
    fn_libc();
}
