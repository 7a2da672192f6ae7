/* SPDX-License-Identifier: MIT */
#include "core/messages.h"
#include "core/shown.h"

#include <stdarg.h>
#include <stdio.h>

enum { LINE_MAX_BYTES = 4096 };

static void to_stderr(void *arg, enum sw_level level, const char *text)
{
    static const char *const names[] = {"", "warning: ", "error: "};
    (void)arg;
    fprintf(stderr, "stepwatch: %s%s\n", names[level], text);
}

void swi_messages_init(struct swi_messages *messages)
{
    pthread_mutex_init(&messages->lock, NULL);
    messages->fn = to_stderr;
    messages->arg = NULL;
}

void swi_messages_fini(struct swi_messages *messages)
{
    pthread_mutex_destroy(&messages->lock);
}

void swi_messages_set(struct swi_messages *messages, sw_message_fn *fn, void *arg)
{
    pthread_mutex_lock(&messages->lock);
    messages->fn = fn;
    messages->arg = arg;
    pthread_mutex_unlock(&messages->lock);
}

void swi_say(struct swi_messages *messages, enum sw_level level, const char *format, ...)
{
    char text[LINE_MAX_BYTES], shown[LINE_MAX_BYTES];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    swi_show(shown, sizeof shown, text);
    pthread_mutex_lock(&messages->lock);
    if (messages->fn)
        messages->fn(messages->arg, level, shown);
    pthread_mutex_unlock(&messages->lock);
}
