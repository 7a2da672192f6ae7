/* SPDX-License-Identifier: MIT */
#include "core/report/misuse_list.h"
#include "core/counters/user.h"
#include "core/text/vec.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void swi_misuses_init(struct swi_misuses *misuses)
{
    pthread_mutex_init(&misuses->lock, NULL);
}

void swi_misuses_fini(struct swi_misuses *misuses)
{
    pthread_mutex_destroy(&misuses->lock);
}

void swi_misuses_reset(struct swi_misuses *misuses)
{
    pthread_mutex_lock(&misuses->lock);
    for (size_t i = 0; i < misuses->count; i++)
        misuses->item[i].times = 0;
    misuses->more = 0;
    pthread_mutex_unlock(&misuses->lock);
}

void swi_misuse_text(char *text, size_t size, const struct swi_misuse_item *item)
{
    const char *name = sw_action_name(item->action);
    const char *other = item->other < 0 ? "" : sw_action_name(item->other);
    const char *missing = item->action == SW_BATCH ? ": sw_end_batch() is missing" : "";
    switch (item->kind) {
    case SWI_BEGUN_TWICE:
        snprintf(text, size, "%s was begun twice%s", name, missing);
        return;
    case SWI_NOT_BEGUN:
        snprintf(text, size, "%s was ended without a begin", name);
        return;
    case SWI_CANCEL_NOT_BEGUN:
        snprintf(text, size, "%s was cancelled without a begin", name);
        return;
    case SWI_TOO_DEEP:
        snprintf(text, size, "%s is nested too deep", name);
        return;
    case SWI_OPEN_AT_CLOSE:
        snprintf(text, size, "%s was open at sw_close()%s", name, missing);
        return;
    case SWI_AROUND:
        snprintf(text, size, "%s was open when %s began%s", name, other, missing);
        return;
    case SWI_DISCARDED:
        snprintf(text, size, "ending %s discarded %s, which was still open%s", other, name,
                 missing);
        return;
    case SWI_IN_HANDLER:
        snprintf(text, size, "%s was called in a signal handler that interrupted another call",
                 name);
        return;
    case SWI_COUNTED_BACK:
        snprintf(text, size, "sw_count() of %s was called with a negative number",
                 swi_user_counter_name(item->action));
    }
}

static bool list_add(struct sw_report *report, const char *text, int64_t times)
{
    size_t count = report->misuse_count;
    if (!swi_vec_room(&report->misuse, count, sizeof *report->misuse))
        return false;
    struct sw_misuse *list = (struct sw_misuse *)report->misuse;
    list[count] = (struct sw_misuse){.text = strdup(text), .times = times};
    report->misuse_count += list[count].text != NULL;
    return list[count].text != NULL;
}

bool swi_misuses_list(struct swi_misuses *misuses, struct sw_report *report)
{
    char text[SWI_MISUSE_TEXT];
    bool fine = true;
    pthread_mutex_lock(&misuses->lock);
    for (size_t i = 0; i < misuses->count; i++) {
        if (!misuses->item[i].times)
            continue;
        swi_misuse_text(text, sizeof text, &misuses->item[i]);
        fine = list_add(report, text, misuses->item[i].times) && fine;
    }
    if (misuses->more)
        fine = list_add(report, "other kinds", misuses->more) && fine;
    pthread_mutex_unlock(&misuses->lock);
    return fine;
}

bool swi_misuses_copy(struct sw_report *report, const struct sw_report *other)
{
    bool fine = true;
    report->misuse = NULL;
    report->misuse_count = 0;
    for (size_t i = 0; i < other->misuse_count; i++)
        fine =
            list_add(report, sw_report_misuse(other, i)->text, sw_report_misuse(other, i)->times) &&
            fine;
    return fine;
}

void swi_misuses_free(const struct sw_report *report)
{
    for (size_t i = 0; i < report->misuse_count; i++)
        free((char *)report->misuse[i].text);
    free((struct sw_misuse *)report->misuse);
}
