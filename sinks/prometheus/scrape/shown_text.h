/* SPDX-License-Identifier: MIT */
/* shown_text.h - the text of the page: the sink replaces it while clients still get the one before.
 */
#ifndef SINKS_PROMETHEUS_SCRAPE_SHOWN_TEXT_H
#define SINKS_PROMETHEUS_SCRAPE_SHOWN_TEXT_H

#include <pthread.h>
#include <stddef.h>

struct swi_shown_text {
    struct swi_shown_text *older;
    int readers;
    size_t size;
    char data[];
};

struct swi_shown_texts {
    pthread_mutex_t lock; /* held for moments only */
    struct swi_shown_text *newest;
};

void swi_shown_texts_init(struct swi_shown_texts *texts);
void swi_shown_texts_free(struct swi_shown_texts *texts);

/* Copies a text, which is the newest from now on. Also frees those that nobody reads any more, so
 * that the thread that reads them needs no memory of its own. */
void swi_shown_texts_put(struct swi_shown_texts *texts, const char *data, size_t size);

/* Returns the newest text, or NULL. It stays until it is given back. */
const struct swi_shown_text *swi_shown_texts_take(struct swi_shown_texts *texts);
void swi_shown_texts_give_back(struct swi_shown_texts *texts, const struct swi_shown_text *text);

#endif
