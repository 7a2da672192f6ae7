/* SPDX-License-Identifier: MIT */
/* Starts and ends the library in a process. */
#include "core/process/own_floats.h"
#include "probes/functions/call_context.h"
#include "probes/functions/cpu_samples.h"
#include "probes/functions/full_tree.h"
#include "probes/functions/mappings.h"
#include "probes/functions/sampler.h"
#include "probes/functions/start.h"
#include "probes/functions/store.h"
#include "probes/functions/thread_state.h"
#include "probes/functions/threads.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* ---- how long the hooks themselves take ------------------------------------------------------ */

enum { ROUNDS = 10, PAIRS = 2000 };

/* A separate thread, whose tree is in no file. */
struct trial {
    struct fn_node nodes[3]; /* none, the caller, the callee */
    struct fn_call calls[4];
};

static void trial_begin(struct fn_own *own, struct trial *trial, uintptr_t fn)
{
    *trial = (struct trial){0};
    own->nodes = trial->nodes;
    own->calls = own->floor = trial->calls;
    own->top = trial->calls;
    own->limit = trial->calls + 3;
    own->calls->node = own->calls->place = &trial->nodes[1];
    own->left = &trial->nodes[2];
    fn_own_at(own, &trial->nodes[1], &trial->nodes[2]);
    own->region = FN_NO_REGION;
    trial->nodes[2].first = &trial->nodes[0];
    trial->nodes[2].after = &trial->nodes[2];
    trial->nodes[2].parent = &trial->nodes[1];
    atomic_store(&trial->nodes[2].fn, fn);
    own->clock = true;
    own->way = FN_WAY_CLOCK;
    own->last = fn_now();
}

static void least(double *value, int64_t ticks)
{
    double each = (double)ticks / PAIRS;
    if (*value == 0 || each < *value)
        *value = each > 0 ? each : 0;
}

static void round_take(struct fn_own *own, struct trial *trial)
{
    static const char function = 0;
    void *fn = (void *)&function;
    struct fn_own *before = fn_self;
    trial_begin(own, trial, (uintptr_t)fn);
    fn_self = own;
    for (int i = 0; i < PAIRS; i++) {
        __cyg_profile_func_enter(fn, NULL);
        __cyg_profile_func_exit(fn, NULL);
    }
    fn_self = before;
    least(&fn_hooks_inside, trial->nodes[2].self);
    least(&fn_hooks_outside, trial->nodes[1].self);
}

/* Measures which part of a pair of hooks is in the time of the function that calls them, and which
 * in that of its caller. Notes both in the file; takes less than a millisecond. */
static void fn_calibrate(void)
{
    SWI_OWN_FLOATS;
    struct trial trial;
    size_t size = (sizeof(struct fn_own) + FN_PAGE - 1) / FN_PAGE * FN_PAGE;
    struct fn_own *own =
        mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (own == MAP_FAILED)
        return;
    for (int i = 0; i < ROUNDS; i++)
        round_take(own, &trial);
    munmap(own, size);
    if (!fn_file)
        return;
    fn_file->inside = fn_hooks_inside;
    fn_file->outside = fn_hooks_outside;
}

/* ---- Starts and ends the library in a process ------------------------------------------------ */

static void in_child(void)
{
    fn_self = &fn_nobody;
    fn_sampling_child();
    fn_start_off();
}

/* Returns whether the command has preloaded this library, or what must come before it. */
static bool is_ours(const char *item, size_t size)
{
    const char *ours = strstr(item, "libstepwatch-functions.so");
    const char *sanitizer = getenv("STEPWATCH_FUNCTIONS_SANITIZER");
    return (ours && ours < item + size) ||
           (sanitizer && strlen(sanitizer) == size && strncmp(item, sanitizer, size) == 0);
}

/* Programs that this one starts are not measured. */
static void preload_leave(void)
{
    const char *preload = getenv("LD_PRELOAD");
    char kept[4096] = "";
    if (!preload || !strstr(preload, "libstepwatch-functions.so") || strlen(preload) >= sizeof kept)
        return;
    for (const char *item = preload; *item;) {
        size_t size = strcspn(item, " :");
        if (size && !is_ours(item, size))
            sprintf(kept + strlen(kept), "%s%.*s", *kept ? ":" : "", (int)size, item);
        item += size + strspn(item + size, " :");
    }
    if (*kept)
        setenv("LD_PRELOAD", kept, 1);
    else
        unsetenv("LD_PRELOAD");
}

/* As soon as it is known: at the start, the program may be started again before its time is lost.
 */
static void problem_report(void)
{
    static int reported;
    int why = fn_store_problem();
    if (why && why != reported)
        fprintf(
            stderr,
            "stepwatch functions: %s: %s: the function profile is lost or incomplete; name another "
            "folder with stepwatch run --functions-out FOLDER\n",
            fn_store_path(), strerror(why));
    reported = why;
}

__attribute__((constructor)) static void library_begins(void)
{
    const char *children = getenv("STEPWATCH_FUNCTIONS_CHILDREN");
    if (!children || !*children)
        preload_leave();
    if (fn_times() == FN_OFF)
        return;
    fn_threads_end_key();
    pthread_atfork(NULL, NULL, in_child);
    if (fn_times() == FN_EXACT)
        fn_calibrate();
    fn_sampler_start(fn_times());
    fn_sampling_start(0);
    problem_report();
}

/* Ends all open calls of a thread now, also of one that waits. */
static void slice_end(struct fn_own *own, void *unused)
{
    int64_t now = fn_now();
    (void)unused;
    if (own->state != FN_SLOT_LIVE)
        return;
    if (own->clock && now > own->last)
        fn_own_slice(own, now);
    if (own->slow & FN_CAPPED)
        fn_full_tree_end(own);
}

__attribute__((destructor)) static void library_ends(void)
{
    fn_sampler_end();
    fn_sampling_stop();
    if (!fn_start_end())
        return;
    fn_owns_each(slice_end, NULL);
    fn_places_read();
    problem_report();
}
