/* SPDX-License-Identifier: MIT */
/* alert.h - what the program, or core itself, wants somebody to look at. */
#ifndef CORE_LOOP_ALERT_H
#define CORE_LOOP_ALERT_H

#include <stepwatch/stepwatch.h>

#include <pthread.h>
#include <stdint.h>

/* Titles that were sent a short time ago, so that a loop does not flood whoever reads them. */
enum { SWI_ALERT_TITLES = 64 };
struct swi_sent_alerts {
    pthread_mutex_t lock;
    struct swi_alert_title {
        uint64_t hash; /* of the title; 0: not used */
        int64_t sent_ns;
    } title[SWI_ALERT_TITLES];
    int64_t repeated; /* were counted, not sent */
};

void swi_sent_alerts_init(struct swi_sent_alerts *alerts);
void swi_sent_alerts_fini(struct swi_sent_alerts *alerts);

/* Tells that a metric is not a number any more. Any thread. */
void swi_alert_nan(struct sw_profiler *sw, const char *metric, int64_t step);

/* Says at the end how many alerts were only counted. */
void swi_sent_alerts_say(struct sw_profiler *sw);

#endif
