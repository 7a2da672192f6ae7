/* SPDX-License-Identifier: MIT */
#include "core/loop/misuse.h"
#include "core/rows/action.h"
#include "core/loop/state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_MAX = 2 * SWI_NAME_MAX + 128 };

void swi_misuses_init(struct swi_misuses *misuses)
{
    pthread_mutex_init(&misuses->lock, NULL);
}

void swi_misuses_fini(struct swi_misuses *misuses)
{
    pthread_mutex_destroy(&misuses->lock);
}

/* ---- what is said ------------------------------------------------------------------------------
 */

static void text_make(char *text, size_t size, const struct swi_misuse_item *item)
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
    }
}

static void say(struct sw_profiler *sw, const struct swi_misuse_item *item)
{
    char text[TEXT_MAX];
    text_make(text, sizeof text, item);
    swi_say(&sw->messages, SW_WARNING,
            "%s: such calls are ignored; the report counts them; this warning appears once", text);
}

/* ---- counting ----------------------------------------------------------------------------------
 */

/* The item of a kind and action; NULL where there is no room for another. Under the lock. */
static struct swi_misuse_item *item_get(struct swi_misuses *misuses, enum swi_misuse kind,
                                        int action, int other)
{
    for (size_t i = 0; i < misuses->count; i++) {
        struct swi_misuse_item *item = &misuses->item[i];
        if (item->kind == kind && item->action == action && item->other == other)
            return item;
    }
    if (misuses->count == SWI_MISUSES_MAX)
        return NULL;
    misuses->item[misuses->count] = (struct swi_misuse_item){kind, action, other, 0};
    return &misuses->item[misuses->count++];
}

void swi_misuses_add(struct sw_profiler *sw, enum swi_misuse kind, int action, int other)
{
    struct swi_misuses *misuses = &sw->misuses;
    pthread_mutex_lock(&misuses->lock);
    size_t known = misuses->count;
    struct swi_misuse_item *item = item_get(misuses, kind, action, other), first = {0};
    bool is_first = misuses->count > known;
    if (item)
        item->times++;
    else
        misuses->more++;
    if (is_first && item)
        first = *item;
    pthread_mutex_unlock(&misuses->lock);
    if (is_first)
        say(sw, &first);
}

void swi_misuses_reset(struct swi_misuses *misuses)
{
    pthread_mutex_lock(&misuses->lock);
    for (size_t i = 0; i < misuses->count; i++)
        misuses->item[i].times = 0;
    misuses->more = 0;
    pthread_mutex_unlock(&misuses->lock);
}

/* ---- the list of a report ----------------------------------------------------------------------
 */

static bool list_add(struct sw_report *report, const char *text, int64_t times)
{
    size_t count = report->misuse_count;
    struct sw_misuse *list =
        realloc((struct sw_misuse *)report->misuse, (count + 1) * sizeof *list);
    if (!list)
        return false;
    report->misuse = list;
    list[count] = (struct sw_misuse){.text = strdup(text), .times = times};
    report->misuse_count += list[count].text != NULL;
    return list[count].text != NULL;
}

bool swi_misuses_list(struct swi_misuses *misuses, struct sw_report *report)
{
    char text[TEXT_MAX];
    bool fine = true;
    pthread_mutex_lock(&misuses->lock);
    for (size_t i = 0; i < misuses->count; i++) {
        if (!misuses->item[i].times)
            continue;
        text_make(text, sizeof text, &misuses->item[i]);
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
        fine = list_add(report, other->misuse[i].text, other->misuse[i].times) && fine;
    return fine;
}

void swi_misuses_free(const struct sw_report *report)
{
    for (size_t i = 0; i < report->misuse_count; i++)
        free((char *)report->misuse[i].text);
    free((struct sw_misuse *)report->misuse);
}
