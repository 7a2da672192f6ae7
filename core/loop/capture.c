/* SPDX-License-Identifier: MIT */
#include "core/files/walk.h"
#include "core/loop/calling_thread.h"
#include "core/loop/recording_windows.h"
#include "core/process/capture_request.h"
#include "core/text/printable.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Returns whether the file belongs to root or to the user, and the link if it is one: otherwise
 * whoever may write to its folder could make the program record. */
static bool file_is_trusted(const char *file, const struct stat *target)
{
    struct stat link;
    return lstat(file, &link) == 0 && swi_owner_is_trusted(link.st_uid) &&
           swi_owner_is_trusted(target->st_uid);
}

static struct swi_touch touch_of(const char *file)
{
    struct stat st;
    if (stat(file, &st) < 0)
        return (struct swi_touch){.there = false};
    return (struct swi_touch){
        true, !file_is_trusted(file, &st), st.st_dev, st.st_ino, st.st_size, st.st_mtim};
}

static void foreign_tell(struct sw_profiler *sw)
{
    struct swi_capture *capture = &sw->capture;
    if (!capture->foreign_reported)
        swi_say(&sw->records.messages, SW_WARNING,
                "capture: %s belongs to another user, so it asks for no captures: remove it, or "
                "name a file in a folder of your own",
                SWI_PRINTABLE(capture->file));
    capture->foreign_reported = true;
}

/* If the file has gone, nothing is requested. */
static bool is_touched(struct sw_profiler *sw)
{
    struct swi_capture *capture = &sw->capture;
    struct swi_touch now = touch_of(capture->file), before = capture->touch;
    capture->touch = now;
    if (now.foreign)
        foreign_tell(sw);
    return now.there && !now.foreign &&
           (!before.there || now.device != before.device || now.inode != before.inode ||
            now.size != before.size || now.time.tv_sec != before.time.tv_sec ||
            now.time.tv_nsec != before.time.tv_nsec);
}

static bool is_signalled(struct swi_capture *capture)
{
    unsigned count = swi_capture_signal_count(capture->signal);
    bool came = count != capture->signals;
    capture->signals = count;
    return came;
}

static void signal_take(struct sw_profiler *sw, int signal)
{
    struct swi_capture *capture = &sw->capture;
    capture->signals = swi_capture_signal_count(signal);
    if (swi_capture_signal_take(signal))
        capture->signal = signal;
    else
        swi_say(&sw->records.messages, SW_WARNING,
                "capture: SIGUSR%d asks for no captures because the program handles or ignores it",
                signal == SIGUSR1 ? 1 : 2);
}

void swi_capture_open(struct sw_profiler *sw, int64_t steps, const char *file, int signal)
{
    struct swi_capture *capture = &sw->capture;
    capture->given = true;
    capture->steps = steps;
    capture->file = file ? strdup(file) : NULL;
    if (file && !capture->file)
        swi_no_memory(&sw->records, "the path of capture");
    if (capture->file)
        capture->touch = touch_of(capture->file);
    if (signal)
        signal_take(sw, signal);
    swi_capture_request_open(&capture->request, steps);
}

void swi_capture_close(struct sw_profiler *sw)
{
    struct swi_capture *capture = &sw->capture;
    if (capture->signal)
        swi_capture_signal_give(capture->signal);
    swi_capture_request_close(&capture->request);
    free(capture->file);
    *capture = (struct swi_capture){.given = false};
}

/* Returns how many steps are requested; 0: none. */
static int64_t asked(struct sw_profiler *sw)
{
    struct swi_capture *capture = &sw->capture;
    bool touched = capture->file && is_touched(sw);
    bool signalled = capture->signal && is_signalled(capture);
    int64_t steps = swi_capture_request_take(&capture->request);
    return touched || signalled ? (steps > capture->steps ? steps : capture->steps) : steps;
}

void swi_capture_look(struct sw_profiler *sw)
{
    struct swi_capture *capture = &sw->capture;
    if (!capture->given || atomic_flag_test_and_set(&capture->looking))
        return;
    int64_t steps = asked(sw);
    atomic_flag_clear(&capture->looking);
    if (steps > 0)
        swi_windows_ask(sw, steps);
}

int sw_capture(struct sw_profiler *sw, int64_t steps)
{
    if (steps < 1)
        return SW_EINVAL;
    const struct swi_thread *thread = sw ? swi_thread_get(sw) : NULL;
    if (thread)
        swi_windows_capture(sw, thread, steps);
    return 0;
}
