/* SPDX-License-Identifier: MIT */
#include "sinks/prometheus/scrape/shown_text.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void swi_shown_texts_init(struct swi_shown_texts *texts)
{
    texts->newest = NULL;
    pthread_mutex_init(&texts->lock, NULL);
}

void swi_shown_texts_free(struct swi_shown_texts *texts)
{
    for (struct swi_shown_text *text = texts->newest, *older; text; text = older) {
        older = text->older;
        free(text);
    }
    pthread_mutex_destroy(&texts->lock);
}

static void unread_free(struct swi_shown_text **at)
{
    while (*at) {
        struct swi_shown_text *text = *at;
        if (text->readers) {
            at = &text->older;
            continue;
        }
        *at = text->older;
        free(text);
    }
}

void swi_shown_texts_put(struct swi_shown_texts *texts, const char *data, size_t size)
{
    struct swi_shown_text *fresh = malloc(sizeof *fresh + size);
    if (!fresh)
        return;
    *fresh = (struct swi_shown_text){.size = size};
    memcpy(fresh->data, data, size);
    pthread_mutex_lock(&texts->lock);
    fresh->older = texts->newest;
    texts->newest = fresh;
    unread_free(&fresh->older);
    pthread_mutex_unlock(&texts->lock);
}

const struct swi_shown_text *swi_shown_texts_take(struct swi_shown_texts *texts)
{
    pthread_mutex_lock(&texts->lock);
    struct swi_shown_text *text = texts->newest;
    if (text)
        text->readers++;
    pthread_mutex_unlock(&texts->lock);
    return text;
}

void swi_shown_texts_give_back(struct swi_shown_texts *texts, const struct swi_shown_text *text)
{
    pthread_mutex_lock(&texts->lock);
    ((struct swi_shown_text *)(uintptr_t)text)->readers--;
    pthread_mutex_unlock(&texts->lock);
}
