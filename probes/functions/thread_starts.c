/* SPDX-License-Identifier: MIT */
/* When functions are sampled, main() and the start functions of threads are called from here. So
 * each thread gets its timer, and the end of its stack is known. */
#include "probes/functions/libc_calls.h"
#include "probes/functions/cpu_samples.h"
#include "probes/functions/stack_walk.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#if defined(PIC) && defined(__GLIBC__)
#define FN_PUBLIC __attribute__((visibility("default")))

/* Does something after the call, which would otherwise become a jump. */
#define RETURN(value)                                                                              \
    do {                                                                                           \
        __asm__ volatile("" ::: "memory");                                                         \
        return value;                                                                              \
    } while (0)

/* ---- threads ---- */

struct begin {
    union {
        void *(*run)(void *);
        thrd_start_t run_c11;
    };
    void *arg;
};

static struct begin begin_take(void *given)
{
    struct begin begin = *(struct begin *)given;
    free(given);
    return begin;
}

FN_STACK_END static void *thread_run(void *given)
{
    struct begin begin = begin_take(given);
    fn_sampling_thread((uintptr_t)__builtin_frame_address(0));
    void *result = begin.run(begin.arg);
    RETURN(result);
}

FN_STACK_END static int thread_run_c11(void *given)
{
    struct begin begin = begin_take(given);
    fn_sampling_thread((uintptr_t)__builtin_frame_address(0));
    int result = begin.run_c11(begin.arg);
    RETURN(result);
}

/* Threads of libstepwatch itself are not sampled. */
static bool is_programs(const void *run)
{
    Dl_info info;
    return fn_sampling_here() &&
           !(dladdr(run, &info) && info.dli_fname && strstr(info.dli_fname, "/libstepwatch.so"));
}

FN_PUBLIC int pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*run)(void *),
                             void *arg)
{
    void *address;
    memcpy(&address, &run, sizeof address);
    struct begin *begin =
        fn_sampling_is_on() && is_programs(address) ? malloc(sizeof *begin) : NULL;
    if (!begin)
        return fn_libc()->pthread_create(thread, attr, run, arg);
    *begin = (struct begin){.run = run, .arg = arg};
    int rc = fn_libc()->pthread_create(thread, attr, thread_run, begin);
    if (rc != 0)
        free(begin);
    return rc;
}

FN_PUBLIC int thrd_create(thrd_t *thread, thrd_start_t run, void *arg)
{
    struct begin *begin = fn_sampling_is_on() && fn_sampling_here() ? malloc(sizeof *begin) : NULL;
    if (!begin)
        return fn_libc()->thrd_create(thread, run, arg);
    *begin = (struct begin){.run_c11 = run, .arg = arg};
    int rc = fn_libc()->thrd_create(thread, thread_run_c11, begin);
    if (rc != thrd_success)
        free(begin);
    return rc;
}

/* ---- the program: it may be sampled from some later time on ---- */

static int (*program_main)(int, char **, char **);

FN_STACK_END static int main_run(int argc, char **argv, char **environment)
{
    fn_sampling_main((uintptr_t)__builtin_frame_address(0));
    int result = program_main(argc, argv, environment);
    RETURN(result);
}

/* NOLINTNEXTLINE(bugprone-reserved-identifier) */
FN_PUBLIC int __libc_start_main(int (*main)(int, char **, char **), int argc, char **argv,
                                void (*init)(void), void (*fini)(void), void (*loader_fini)(void),
                                void *stack_end);
int __libc_start_main(int (*main)(int, char **, char **), int argc, char **argv, void (*init)(void),
                      void (*fini)(void), void (*loader_fini)(void), void *stack_end)
{
    program_main = main;
    return fn_libc()->libc_start_main(main_run, argc, argv, init, fini, loader_fini, stack_end);
}
#endif
