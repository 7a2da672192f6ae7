/* SPDX-License-Identifier: MIT */
/* messages.h - what is said to whoever runs the program, one line each, safe for a terminal. */
#ifndef CORE_DELIVERY_MESSAGES_H
#define CORE_DELIVERY_MESSAGES_H

#include <stepwatch/stepwatch.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

/* Bytes of a message; what is longer is cut. */
enum { SWI_MESSAGE = 4096 };

/* Where messages go: stderr until told otherwise. The texts are made here, with the lock held: the
 * thread that says something may have a stack of 16 KiB. */
struct swi_messages {
    pthread_mutex_t lock;
    _Atomic(const void *) speaker; /* the thread in whose call of fn we are; NULL: none */
    sw_message_fn *fn;
    void *arg;
    char text[SWI_MESSAGE];
    char shown[SWI_MESSAGE];
    char line[SWI_MESSAGE + 32];
};

void swi_messages_init(struct swi_messages *messages);
void swi_messages_fini(struct swi_messages *messages);

/* fn NULL: to nobody. Waits for a message that another thread is saying; fn itself may call it. */
void swi_messages_set(struct swi_messages *messages, sw_message_fn *fn, void *arg);

/* Says one line; control characters, bidi marks and invalid UTF-8 are shown as \xNN or \u{...}. Any
 * thread. What fn's own calls have to say goes to stderr. */
__attribute__((format(printf, 3, 4))) void swi_say(struct swi_messages *messages,
                                                   enum sw_level level, const char *format, ...);

/* Says each line of text for itself. */
void swi_say_lines(struct swi_messages *messages, enum sw_level level, const char *text);

/* As swi_say(), for a thread that may have been left alone: says nothing from when *silent is true.
 */
__attribute__((format(printf, 4, 5))) void swi_say_unless(struct swi_messages *messages,
                                                          const atomic_bool *silent,
                                                          enum sw_level level, const char *format,
                                                          ...);

/* In the child of a fork: the lock is free. */
void swi_messages_child(struct swi_messages *messages);

/* Says a warning in a child, where any lock but this one may be held for ever. */
void swi_say_in_child(struct swi_messages *messages, const char *text);

/* Waits a moment for a message that is being said; whoever gets it may hang. */
void swi_messages_settle(struct swi_messages *messages);

#endif
