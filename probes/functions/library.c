/* SPDX-License-Identifier: MIT */
/* Starts and ends the library in a process. */
#include "probes/functions/full_tree.h"
#include "probes/functions/calibrate.h"
#include "probes/functions/mappings.h"
#include "probes/functions/sampler.h"
#include "probes/functions/cpu_samples.h"
#include "probes/functions/start.h"
#include "probes/functions/store.h"
#include "probes/functions/threads.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
static void problem_tell(void)
{
    static int told;
    int why = fn_store_problem();
    if (why && why != told)
        fprintf(
            stderr,
            "stepwatch functions: %s: %s: the function profile is lost or incomplete; name another "
            "folder with stepwatch run --functions-out FOLDER\n",
            fn_store_path(), strerror(why));
    told = why;
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
    problem_tell();
}

/* Ends all open calls now, including those of waiting threads. */
static void slices_end(void)
{
    for (uint32_t i = 0; i < FN_THREADS && i < atomic_load(&fn_file->threads); i++) {
        struct fn_own *own = atomic_load(&fn_owns[i]);
        if (!own || fn_own_is_copy(own) || own->state != FN_SLOT_LIVE)
            continue;
        int64_t now = fn_now();
        if (own->clock && now > own->last)
            fn_own_slice(own, now);
        if (own->slow & FN_CAPPED)
            fn_full_tree_end(own);
    }
}

__attribute__((destructor)) static void library_ends(void)
{
    fn_sampler_end();
    fn_sampling_stop();
    if (!fn_start_end())
        return;
    slices_end();
    fn_places_read();
    problem_tell();
}
