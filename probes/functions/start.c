/* SPDX-License-Identifier: MIT */
#include "probes/functions/start.h"
#include "probes/functions/mappings.h"
#include "probes/functions/store.h"
#include "probes/functions/nodes.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static atomic_int state; /* of these */
enum { UNKNOWN, CHOOSING, OFF, CHOSEN, STARTING, ON };
static enum fn_times times;
static bool wall;

/* ---- what is asked for ---- */

enum fn_times fn_times_named(const char *name)
{
    static const char *const names[] = {"off", "exact", "sampled", "sample"};
    for (int i = 0; name && i < 4; i++)
        if (strcmp(name, names[i]) == 0)
            return (enum fn_times)i;
    return name && strcmp(name, "wall") == 0 ? FN_SAMPLE : FN_EXACT;
}

/* STEPWATCH_FUNCTIONS_PID: the process that `stepwatch run` started. Its children have their own
 * files only if the user asks for that. */
static bool is_meant(void)
{
    const char *pid = getenv("STEPWATCH_FUNCTIONS_PID");
    return !pid || !*pid || atoi(pid) == (int)getpid();
}

static void take(const char *name)
{
    times = fn_times_named(name);
    wall = name && strcmp(name, "wall") == 0;
}

static void choose(void)
{
    const char *nodes = getenv("STEPWATCH_FUNCTIONS_NODES");
    take(is_meant() ? getenv("STEPWATCH_FUNCTIONS") : "off");
    if (nodes && atoi(nodes) > 0)
        fn_nodes_cap((uint32_t)atoi(nodes));
}

static void chosen(void)
{
    int is = UNKNOWN;
    if (atomic_load(&state) == UNKNOWN && atomic_compare_exchange_strong(&state, &is, CHOOSING)) {
        choose();
        atomic_store(&state, times == FN_OFF ? OFF : CHOSEN);
    }
}

enum fn_times fn_times(void)
{
    chosen();
    return atomic_load(&state) < CHOSEN ? FN_OFF : times;
}

bool fn_is_wall(void)
{
    return wall;
}

void fn_times_set(const char *name)
{
    take(name);
    if (fn_file)
        fn_file->times = times;
}

/* ---- the beginning ---- */

static void look(int which)
{
    fn_file->tick[which] = fn_now();
    fn_file->ns[which] = swi_now_ns();
}

void fn_start_look(void)
{
    enum { LONG_TICKS = 100000000 };
    if (fn_now() - fn_file->tick[1] > LONG_TICKS)
        look(1);
}

static void program_name(void)
{
    ssize_t size = readlink("/proc/self/exe", fn_file->program, sizeof fn_file->program - 1);
    if (size <= 0)
        strcpy(fn_file->program, "?");
}

static bool file_make(void)
{
    const char *folder = getenv("STEPWATCH_FUNCTIONS_OUT");
    const char *program = program_invocation_short_name;
    if (!fn_store_open(folder && *folder ? folder : "functions",
                       program && *program ? program : "program"))
        return false;
    fn_file->started_ns = swi_wall_ns();
    fn_file->times = times;
    program_name();
    look(0);
    return true;
}

/* `stepwatch run` reads a line for each file. */
static void place_announce(void)
{
    const char *places = getenv("STEPWATCH_PLACES");
    char line[PATH_MAX + 16];
    int size = snprintf(line, sizeof line, "functions\t%s\n", fn_store_path());
    if (!places || *places != '/' || size >= (int)sizeof line || fn_store_problem())
        return;
    int fd = open(places, O_WRONLY | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return;
    /* If the place cannot be written, there is no message. */
    if (write(fd, line, (size_t)size) < 0)
        errno = 0;
    close(fd);
}

/* Other threads wait until the file is there, or their first calls would be lost. A signal handler
 * on the thread that makes it cannot. */
bool fn_start(void)
{
    static _Thread_local bool starting __attribute__((tls_model("initial-exec")));
    int is = CHOSEN;
    if (fn_times() == FN_OFF)
        return false;
    if (atomic_compare_exchange_strong(&state, &is, STARTING)) {
        starting = true;
        bool fine = file_make();
        if (fine) {
            fn_file->inside = fn_hooks_inside;
            fn_file->outside = fn_hooks_outside;
            look(1);
            fn_places_read();
            place_announce();
        }
        atomic_store(&state, fine ? ON : OFF);
        starting = false;
    }
    while (atomic_load(&state) == STARTING && !starting)
        sched_yield();
    return atomic_load(&state) == ON;
}

bool fn_start_is_on(void)
{
    return atomic_load(&state) == ON;
}

bool fn_start_hooks_idle(void)
{
    int is = atomic_load(&state);
    return is == OFF || (is >= CHOSEN && times == FN_SAMPLE);
}

void fn_start_off(void)
{
    atomic_store(&state, OFF);
}

bool fn_start_end(void)
{
    if (atomic_load(&state) != ON)
        return false;
    look(1);
    fn_file->complete = 1;
    return true;
}
