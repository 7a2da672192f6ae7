/* SPDX-License-Identifier: MIT */
#include "core/watchdog/watchdog.h"

#include "core/clock/deadline.h"
#include "core/clock/now.h"
#include "core/process/own_thread.h"
#include "core/records/recorder.h"
#include "core/rows/measured.h"
#include "core/text/number.h"
#include "core/watchdog/messenger.h"
#include "core/watchdog/stall.h"

#include <stepwatch/sink.h>

#include <linux/futex.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* ---- finds what each thread of the program is doing, for a loop that has stalled ------------- */

/* How many threads are listed. */
enum { SWI_OPEN_MAX = 8 };

struct open_regions {
    size_t count;
    struct sw_open_region region[SWI_OPEN_MAX]; /* sorted by start, the oldest first */
    bool of_loop[SWI_OPEN_MAX];
};

static void add(struct open_regions *open, struct swi_measured *measured,
                const struct swi_thread *thread)
{
    int64_t since_ns = swi_clock_ns(&measured->clock, thread->frame->start);
    size_t at = open->count;
    while (at > 0 && open->region[at - 1].since_ns > since_ns)
        at--;
    if (at == SWI_OPEN_MAX)
        return;
    open->count += open->count < SWI_OPEN_MAX;
    for (size_t i = open->count - 1; i > at; i--) {
        open->region[i] = open->region[i - 1];
        open->of_loop[i] = open->of_loop[i - 1];
    }
    open->region[at] = (struct sw_open_region){.thread = thread->number,
                                               .action = sw_action_name(thread->frame->action),
                                               .since_ns = since_ns};
    open->of_loop[at] = thread == atomic_load(&measured->loop);
}

/* Finds the innermost open region of each thread. The threads are not stopped. */
static void open_regions_find(struct open_regions *open, struct swi_measured *measured)
{
    SWI_FOLDED(measured);
    open->count = 0;
    for (const struct swi_thread *thread = swi_first_thread(measured); thread;
         thread = thread->list)
        if (swi_depth(thread) > 0)
            add(open, measured, thread);
}

/* ---- a thread that checks once a second that the loop still makes steps ---------------------- */

#define SECOND INT64_C(1000000000)

struct swi_watchdog {
    struct swi_measured *measured;
    struct swi_recorder *records;
    struct swi_messenger *messenger; /* NULL if there is no command and no webhook */
    bool looks;                      /* it watches the loop */
    int64_t period_ns;               /* time between two looks */
    atomic_int stopping;             /* 1: a futex, which ends the wait between two looks */
    bool abandoned;                  /* the thread did not end in time */
    pthread_t thread;

    /* Used only by the thread. */
    struct swi_stall stall;
    int64_t compared_ns;
    int64_t steps; /* steps of the fit at the last look */
};

/* ---- what the loop is doing ------------------------------------------------------------------ */

static enum swi_stage stage_in_fit(const struct swi_watchdog *watchdog,
                                   const struct swi_elapsed *elapsed, bool stepped)
{
    enum sw_phase running = (enum sw_phase)elapsed->running;
    bool valid_steps =
        watchdog->stall.steps[1].count > 0 || (stepped && watchdog->stall.stage == SWI_STAGE_VALID);
    if (running == SW_PHASE_VALID)
        return valid_steps ? SWI_STAGE_VALID_STEP : SWI_STAGE_VALID;
    if (running == SW_PHASE_TRAIN || elapsed->bare)
        return SWI_STAGE_STEP;
    return watchdog->stall.first_ns < 0 ? SWI_STAGE_START : SWI_STAGE_BETWEEN;
}

/* Before its first step, a loop is still at its start. */
static enum swi_stage stage_of(const struct swi_watchdog *watchdog, const struct swi_thread *loop,
                               bool stepped)
{
    const struct swi_measured *measured = watchdog->measured;
    if (atomic_load(&measured->paused))
        return SWI_STAGE_AWAY;
    if (!loop || !atomic_load(&measured->progress.fit_open))
        return SWI_GET(measured->progress.fit_number) > 0 && watchdog->stall.first_ns >= 0
                   ? SWI_STAGE_AWAY
                   : SWI_STAGE_START;
    enum swi_stage stage = stage_in_fit(watchdog, &loop->elapsed, stepped);
    bool begun = watchdog->stall.first_ns >= 0 || loop->elapsed.steps > 0;
    return stage == SWI_STAGE_STEP && !begun ? SWI_STAGE_START : stage;
}

/* Returns whether a debugger is attached. Then nothing is a stall. */
static bool is_traced(void)
{
    char line[128];
    long tracer = 0;
    FILE *status = fopen("/proc/self/status", "re");
    while (status && fgets(line, sizeof line, status))
        if (sscanf(line, "TracerPid: %ld", &tracer) == 1)
            break;
    if (status)
        fclose(status);
    return tracer > 0;
}

/* ---- telling --------------------------------------------------------------------------------- */

static void tell(struct swi_watchdog *watchdog, const struct sw_alert *alert)
{
    struct swi_recorder *records = watchdog->records;
    int64_t next = SWI_GET(watchdog->measured->progress.step), step = next > 0 ? next - 1 : 0;
    swi_say(&records->messages, (enum sw_level)alert->level, "%s", alert->text);
    swi_recorder_alert(records, alert, step, swi_clock_tick(&watchdog->measured->clock));
    if (watchdog->messenger)
        swi_messenger_send(watchdog->messenger, alert, step);
}

static void since_add(struct swi_text *text, const struct swi_watchdog *watchdog,
                      const struct open_regions *open, size_t i)
{
    struct swi_measured *measured = watchdog->measured;
    const struct sw_open_region *region = &open->region[i];
    int64_t now = swi_clock_ns(&measured->clock, swi_clock_tick(&measured->clock));
    swi_text_put(text, i ? "; " : ": ");
    if (open->of_loop[i])
        swi_text_format(text, "%s is open since ", region->action);
    else
        swi_text_format(text, "thread %d: %s since ", region->thread, region->action);
    swi_number_clock(text, (double)(now - region->since_ns) * 1e-9);
    swi_text_put(text, open->of_loop[i] ? " on the loop thread" : "");
}

static void usual_add(struct swi_text *text, const struct swi_stall *stall)
{
    bool by_steps = stall->stage == SWI_STAGE_STEP || stall->stage == SWI_STAGE_VALID_STEP;
    const struct swi_stall_steps *steps = &stall->steps[stall->stage == SWI_STAGE_VALID_STEP];
    int64_t longest = stall->longest_ns[stall->stage];
    if (by_steps && steps->known > 0) {
        swi_text_put(text, " (usually ");
        swi_number_duration(text, (double)steps->usual_ns, true);
        swi_text_put(text, ")");
    } else if (!by_steps && longest > SECOND) {
        swi_text_put(text, " (at most ");
        swi_number_clock(text, (double)longest * 1e-9);
        swi_text_put(text, " before)");
    }
}

/* Writes "no step for 2:14 (usually 588 ms): draw is open since 2:13 on the loop thread; thread 1:
 * read_file since 2:14". */
static void stall_text(struct swi_text *text, const struct swi_watchdog *watchdog,
                       const struct open_regions *open, int64_t now_ns)
{
    static const char *const what[SWI_PLACES] = {
        [SWI_STAGE_START] = "no first step for ",
        [SWI_STAGE_STEP] = "no step for ",
        [SWI_STAGE_VALID_STEP] = "no step of validation for ",
        [SWI_STAGE_VALID] = "no end of validation for ",
        [SWI_STAGE_BETWEEN] = "no step between training and validation for ",
    };
    const struct swi_stall *stall = &watchdog->stall;
    swi_text_put(text, what[stall->stage]);
    swi_number_clock(text, (double)(now_ns - stall->since_ns) * 1e-9);
    usual_add(text, stall);
    for (size_t i = 0; i < open->count; i++)
        since_add(text, watchdog, open, i);
}

static void stall_report(struct swi_watchdog *watchdog, int64_t now_ns)
{
    struct open_regions open;
    struct swi_text text = {0};
    open_regions_find(&open, watchdog->measured);
    stall_text(&text, watchdog, &open, now_ns);
    if (!text.failed)
        tell(watchdog, &(struct sw_alert){.size = sizeof(struct sw_alert),
                                          .kind = "stall",
                                          .level = SW_WARNING,
                                          .title = "The loop stands still",
                                          .text = text.data,
                                          .wait_ns = 60 * SECOND,
                                          .open_count = open.count,
                                          .open_stride = sizeof *open.region,
                                          .open = open.region});
    swi_text_free(&text);
}

static void recovery_report(struct swi_watchdog *watchdog, int64_t now_ns)
{
    struct swi_text text = {0};
    swi_text_put(&text, "the loop goes on after ");
    swi_number_clock(&text, (double)(now_ns - watchdog->stall.reported_since_ns) * 1e-9);
    if (!text.failed)
        tell(watchdog, &(struct sw_alert){.size = sizeof(struct sw_alert),
                                          .kind = "goes-on",
                                          .level = SW_NOTE,
                                          .title = "The loop goes on",
                                          .text = text.data,
                                          .wait_ns = 60 * SECOND});
    swi_text_free(&text);
}

/* ---- looking --------------------------------------------------------------------------------- */

/* Returns the steps since the last look. Each fit counts from 0. */
static int64_t steps_new(struct swi_watchdog *watchdog, const struct swi_thread *loop)
{
    int64_t now = loop ? loop->elapsed.steps : 0, before = watchdog->steps;
    watchdog->steps = now;
    return now >= before ? now - before : now;
}

/* Leaves out the time in which the program was stopped, or the machine was too busy to look. */
static void gap_leave_out(struct swi_watchdog *watchdog, int64_t now_ns)
{
    int64_t late = now_ns - watchdog->compared_ns - watchdog->period_ns;
    if (late > 4 * SECOND)
        swi_stall_leave_out(&watchdog->stall, late);
    watchdog->compared_ns = now_ns;
}

/* Returns where the loop is. steps: set to how many have ended since the last look. */
static enum swi_stage stage_now(struct swi_watchdog *watchdog, int64_t *steps)
{
    SWI_FOLDED(watchdog->measured);
    const struct swi_thread *loop = atomic_load(&watchdog->measured->loop);
    *steps = steps_new(watchdog, loop);
    return stage_of(watchdog, loop, *steps > 0);
}

static void look(struct swi_watchdog *watchdog)
{
    int64_t now_ns = swi_now_ns(), steps;
    gap_leave_out(watchdog, now_ns);
    enum swi_stage stage = stage_now(watchdog, &steps);
    if (swi_stall_check(&watchdog->stall, stage, steps, now_ns))
        recovery_report(watchdog, now_ns);
    if (!swi_stall_begins(&watchdog->stall, now_ns))
        return;
    if (is_traced()) {
        watchdog->stall.reported = false;
        watchdog->stall.since_ns = now_ns;
    } else {
        stall_report(watchdog, now_ns);
    }
}

/* With a descriptor, such as that of an eventfd, the end would write to whatever has its number
 * after the program closed it. */
static void pause_before_check(struct swi_watchdog *watchdog)
{
    const struct timespec limit = {.tv_sec = watchdog->period_ns / SECOND,
                                   .tv_nsec = watchdog->period_ns % SECOND};
    syscall(SYS_futex, &watchdog->stopping, FUTEX_WAIT_PRIVATE, 0, &limit, NULL, 0);
}

static void *watchdog_main(void *arg)
{
    struct swi_watchdog *watchdog = arg;
    pthread_setname_np(pthread_self(), "sw-watchdog");
    while (!atomic_load(&watchdog->stopping)) {
        pause_before_check(watchdog);
        bool over = atomic_load(&watchdog->stopping) || watchdog->records->run.replayed ||
                    atomic_load(&watchdog->measured->dead);
        if (!over)
            look(watchdog);
    }
    return NULL;
}

/* ---- starting and stopping ------------------------------------------------------------------- */

/* What is still used by a thread that did not end is not freed. */
void swi_watchdog_free(struct swi_watchdog *watchdog)
{
    if (!watchdog || watchdog->abandoned)
        return;
    swi_messenger_free(watchdog->messenger);
    free(watchdog);
}

/* With a short limit, as in a test, it looks more often. */
static int64_t period_of(int64_t timeout_ns)
{
    int64_t period = timeout_ns / 10;
    return period < SECOND / 100 ? SECOND / 100 : period > SECOND ? SECOND : period;
}

static bool begin(struct swi_watchdog *watchdog, const struct swi_watchdog_settings *settings)
{
    int64_t now_ns = swi_now_ns();
    watchdog->looks = settings->timeout_ns > 0;
    watchdog->period_ns = period_of(settings->timeout_ns);
    watchdog->compared_ns = now_ns;
    swi_stall_init(&watchdog->stall, settings->timeout_ns, now_ns);
    if (settings->command || settings->webhook)
        watchdog->messenger =
            swi_messenger_start(settings->command, settings->webhook, &watchdog->records->run,
                                &watchdog->records->messages);
    return !watchdog->looks ||
           swi_own_thread_start(&watchdog->thread, watchdog_main, watchdog) == 0;
}

struct swi_watchdog *swi_watchdog_start(const struct swi_watchdog_settings *settings,
                                        struct swi_measured *measured, struct swi_recorder *records)
{
    if (!settings->given)
        return NULL;
    struct swi_watchdog *watchdog = calloc(1, sizeof *watchdog);
    if (watchdog) {
        watchdog->measured = measured;
        watchdog->records = records;
    }
    if (watchdog && begin(watchdog, settings))
        return watchdog;
    swi_say(&records->messages, SW_WARNING, "no watchdog: not enough memory or threads");
    if (watchdog) {
        swi_messenger_stop(watchdog->messenger, 0);
        swi_watchdog_free(watchdog);
    }
    return NULL;
}

void swi_watchdog_pass(struct swi_watchdog *watchdog, const struct sw_alert *alert, int64_t step)
{
    if (watchdog && watchdog->messenger)
        swi_messenger_send(watchdog->messenger, alert, step);
}

/* The thread never waits for long, but the receiver of its messages may. */
void swi_watchdog_stop(struct swi_watchdog *watchdog, int64_t limit_ns)
{
    if (!watchdog || atomic_exchange(&watchdog->stopping, 1) != 0)
        return;
    int64_t begun_ns = swi_now_ns();
    struct swi_deadline deadline = swi_deadline_in(limit_ns);
    syscall(SYS_futex, &watchdog->stopping, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
    watchdog->abandoned = watchdog->looks && !swi_deadline_join(watchdog->thread, &deadline);
    if (watchdog->abandoned)
        pthread_detach(watchdog->thread);
    int64_t left_ns = begun_ns + limit_ns - swi_now_ns();
    swi_messenger_stop(watchdog->messenger, left_ns > 0 ? left_ns : 0);
}
