/* SPDX-License-Identifier: MIT */
#include "core/counters/named_events.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

struct named_event {
    bool known; /* nothing could tell the code if not; never unset */
    struct swi_event_code code;
};
char swi_named_event_name[SWI_NAMED_EVENTS][SWI_EVENT_NAME_SIZE];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct named_event events[SWI_NAMED_EVENTS];
static int count;

/* Call it with the lock. */
static int code_find(int number, struct sw_error *err)
{
    struct named_event *event = &events[number];
    const char *name = swi_named_event_name[number];
    int result = event->known ? 0 : swi_event_code_find(name, &event->code, err);
    event->known = result == 0;
    return result;
}

/* Call it with the lock. */
static int event_find(const char *name)
{
    for (int i = 0; i < count; i++)
        if (strcmp(swi_named_event_name[i], name) == 0)
            return i;
    return -1;
}

/* Adds an event after the last. Call it with the lock. */
static int event_add(const char *name, struct sw_error *err)
{
    if (count == SWI_NAMED_EVENTS || strlen(name) >= SWI_EVENT_NAME_SIZE)
        return sw_error_set(err, SW_EINVAL,
                            "expected at most %d events in a process, each with a name of less "
                            "than %d characters",
                            SWI_NAMED_EVENTS, SWI_EVENT_NAME_SIZE);
    SW_ERROR_SCOPE(why);
    snprintf(swi_named_event_name[count], SWI_EVENT_NAME_SIZE, "%s", name);
    if (code_find(count, &why) == SW_EINVAL)
        return sw_error_set(err, SW_EINVAL, "%s", sw_error_text(&why));
    return count++;
}

int swi_named_event(const char *name, struct sw_error *err)
{
    pthread_mutex_lock(&lock);
    int number = event_find(name);
    if (number < 0)
        number = event_add(name, err);
    pthread_mutex_unlock(&lock);
    return number;
}

int swi_named_event_find(int number, struct sw_error *err)
{
    pthread_mutex_lock(&lock);
    int result = code_find(number, err);
    pthread_mutex_unlock(&lock);
    return result;
}

struct swi_event_code swi_named_event_code(int number)
{
    return events[number].code;
}

void swi_named_events_child(void)
{
    pthread_mutex_init(&lock, NULL);
}
