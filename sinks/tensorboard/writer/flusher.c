/* SPDX-License-Identifier: MIT */
#include "sinks/tensorboard/writer/flusher.h"
#include "core/process/roomy_thread.h"

#include "core/clock/now.h"
#include "core/process/thread_checker.h"

#include <errno.h>
#include <time.h>

#define LONGEST_S (366.0 * 24 * 3600)
#define SHORTEST_S 0.01

int swi_tb_flusher_init(struct swi_tb_flusher *flusher, struct swi_tb_output *output,
                        double interval_s)
{
    *flusher = (struct swi_tb_flusher){.output = output, .interval_s = interval_s};
    pthread_mutex_init(&flusher->lock, NULL);
    return swi_cond_init(&flusher->wake);
}

static struct timespec after(double seconds)
{
    double wait_s = seconds < SHORTEST_S ? SHORTEST_S : seconds;
    int64_t when_ns = swi_now_ns() + (int64_t)(wait_s * 1e9);
    return (struct timespec){.tv_sec = when_ns / 1000000000, .tv_nsec = when_ns % 1000000000};
}

/* Waits until the interval is over or the thread should stop. */
static void sleep_on(struct swi_tb_flusher *flusher)
{
    struct timespec end = after(flusher->interval_s);
    while (!flusher->stop &&
           pthread_cond_timedwait(&flusher->wake, &flusher->lock, &end) != ETIMEDOUT)
        ;
}

/* Does nothing about a deleted file: the next call makes a new one for what is waiting. */
static void write_out(struct swi_tb_output *output)
{
    if (output->used > 0 && !swi_tb_output_deleted(output))
        swi_tb_output_write(output);
}

static void *flush(void *arg)
{
    struct swi_tb_flusher *flusher = arg;
    uint64_t seen;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
    pthread_mutex_lock(&flusher->lock);
    do {
        seen = flusher->taken;
        sleep_on(flusher);
        if (!flusher->stop)
            write_out(flusher->output);
    } while (!flusher->stop && flusher->taken != seen);
    flusher->running = false;
    pthread_mutex_unlock(&flusher->lock);
    return NULL;
}

static void *run(void *flusher)
{
    return swi_unchecked(flush, flusher);
}

/* A thread that ended by itself must still be joined, and takes no lock any more. */
static void thread_join(struct swi_tb_flusher *flusher)
{
    if (flusher->made)
        pthread_join(flusher->thread, NULL);
    flusher->made = false;
}

void swi_tb_flusher_need(struct swi_tb_flusher *flusher)
{
    flusher->taken++;
    if (flusher->running || flusher->stop || !(flusher->interval_s <= LONGEST_S))
        return;
    thread_join(flusher);
    flusher->made = swi_blocked_thread(&flusher->thread, run, flusher) == 0;
    flusher->running = flusher->made;
    /* Without a thread, the calls write what is waiting. They do not all try to make one. */
    if (!flusher->made)
        flusher->interval_s = 2 * LONGEST_S;
}

void swi_tb_flusher_stop(struct swi_tb_flusher *flusher)
{
    pthread_mutex_lock(&flusher->lock);
    flusher->stop = true;
    pthread_cond_signal(&flusher->wake);
    pthread_mutex_unlock(&flusher->lock);
    thread_join(flusher);
}

void swi_tb_flusher_fini(struct swi_tb_flusher *flusher)
{
    pthread_cond_destroy(&flusher->wake);
    pthread_mutex_destroy(&flusher->lock);
}
