/* SPDX-License-Identifier: MIT */
#include "net/pace.h"
#include "core/clock/now.h"

#include <math.h>
#include <sys/random.h>
#include <time.h>

static const double second_ns = 1e9;
/* Seconds between two tries while the program waits for its end. */
static const double hurried_s = 0.5;

void swi_pace_init(struct swi_pace *pace, bool (*ended)(void *arg), void *arg)
{
    *pace = (struct swi_pace){.ended = ended, .arg = arg};
    swi_cond_init(&pace->changed);
    pthread_mutex_init(&pace->lock, NULL);
    if (getrandom(&pace->chance, sizeof pace->chance, GRND_NONBLOCK) < 0)
        pace->chance = (uint64_t)swi_now_ns();
}

void swi_pace_fini(struct swi_pace *pace)
{
    pthread_cond_destroy(&pace->changed);
    pthread_mutex_destroy(&pace->lock);
}

static bool is_over(struct swi_pace *pace)
{
    return pace->cancelled || (pace->ended && pace->ended(pace->arg)) ||
           (pace->deadline_ns && swi_now_ns() >= pace->deadline_ns);
}

bool swi_pace_is_over(void *arg)
{
    struct swi_pace *pace = arg;
    pthread_mutex_lock(&pace->lock);
    bool over = is_over(pace);
    pthread_mutex_unlock(&pace->lock);
    return over;
}

/* Waits a quarter of a second at most, if `ended` must be called. */
static void wait_part(struct swi_pace *pace, int64_t until_ns)
{
    int64_t part_ns = swi_now_ns() + 250000000;
    if (!pace->ended || until_ns < part_ns)
        part_ns = until_ns;
    if (pace->deadline_ns && pace->deadline_ns < part_ns)
        part_ns = pace->deadline_ns;
    struct timespec until = {.tv_sec = (time_t)(part_ns / 1000000000),
                             .tv_nsec = (long)(part_ns % 1000000000)};
    pthread_cond_timedwait(&pace->changed, &pace->lock, &until);
}

bool swi_pace_wait(struct swi_pace *pace, double seconds)
{
    int64_t until_ns = swi_now_ns() + (int64_t)(seconds * second_ns);
    pthread_mutex_lock(&pace->lock);
    while (!is_over(pace) && !pace->woken && swi_now_ns() < until_ns)
        wait_part(pace, until_ns);
    pace->woken = false;
    bool on = !is_over(pace);
    pthread_mutex_unlock(&pace->lock);
    return on;
}

/* Returns the end of the wait before the next try. It is shorter if the program ends, unless the
 * server asked for the wait. */
static int64_t retry_ns(const struct swi_pace *pace, int64_t begin_ns, double seconds, bool asked)
{
    bool shorter = pace->hurried && !asked;
    return begin_ns + (int64_t)((shorter ? fmin(seconds, hurried_s) : seconds) * second_ns);
}

bool swi_pace_wait_retry(struct swi_pace *pace, double seconds, bool asked)
{
    int64_t begin_ns = swi_now_ns(), until_ns;
    pthread_mutex_lock(&pace->lock);
    while (!is_over(pace) && (until_ns = retry_ns(pace, begin_ns, seconds, asked)) > swi_now_ns())
        wait_part(pace, until_ns);
    bool on = !is_over(pace);
    pthread_mutex_unlock(&pace->lock);
    return on;
}

static void change(struct swi_pace *pace, bool *what)
{
    pthread_mutex_lock(&pace->lock);
    *what = true;
    pace->woken = true;
    pthread_cond_broadcast(&pace->changed);
    pthread_mutex_unlock(&pace->lock);
}

void swi_pace_wake(struct swi_pace *pace)
{
    change(pace, &pace->woken);
}

void swi_pace_hurry(struct swi_pace *pace)
{
    change(pace, &pace->hurried);
}

void swi_pace_cancel(struct swi_pace *pace)
{
    change(pace, &pace->cancelled);
}

double swi_pace_chance(struct swi_pace *pace)
{
    pace->chance = pace->chance * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(pace->chance >> 11) / (double)(UINT64_C(1) << 53);
}
