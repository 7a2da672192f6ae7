/* SPDX-License-Identifier: MIT */
#include "core/delivery/run_copy.h"
#include "core/clock/clock.h"

static pthread_mutex_t run_lock = PTHREAD_MUTEX_INITIALIZER;

void swi_run_replayed(struct sw_run *run, double started_s)
{
    int64_t offset = swi_utc_offset(started_s);
    pthread_mutex_lock(&run_lock);
    run->started_s = started_s;
    run->utc_offset_s = offset;
    run->replayed = true;
    pthread_mutex_unlock(&run_lock);
}

void swi_run_child(void)
{
    pthread_mutex_init(&run_lock, NULL);
}

void swi_run_take(struct swi_worker *worker)
{
    pthread_mutex_lock(&run_lock);
    worker->run = *worker->run_given;
    pthread_mutex_unlock(&run_lock);
    worker->run.rank_files = worker->rank_files ? worker->rank_files : "";
    worker->sink.run = &worker->run;
}
