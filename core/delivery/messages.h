/* SPDX-License-Identifier: MIT */
/* messages.h - messages to the user, one line each, safe for a terminal. */
#ifndef CORE_DELIVERY_MESSAGES_H
#define CORE_DELIVERY_MESSAGES_H

#include "core/text/buffer.h"

#include <stepwatch/stepwatch.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* The line that a sink shows on a terminal, and other output to the same terminal. */

/* For how long the line is not drawn again after the program has printed. */
#define SWI_LIVE_REST_NS INT64_C(250000000)

struct swi_live_line {
    pthread_mutex_t lock; /* held while other output is printed */
    int fd;
    bool shown;           /* must be wiped before other output */
    struct swi_text wipe; /* the text that wipes it */
    bool unended;         /* the program's last line is not complete */
    int64_t printed_ns;   /* time of the program's last output; 0 if there was none */
    atomic_bool used;     /* sw_print() was called */
};

/* Returns what sw_sink_live() returns: 1, 0 or SW_EIO. */
int swi_live_line_show(struct swi_live_line *line, int fd, const char *wipe, const char *text);

/* Prints a text of the program to standard output. Returns false if it fails. */
bool swi_live_line_print(struct swi_live_line *line, const char *text, size_t size);

/* Bytes of a message: a path of any length, and what is said of it. A longer one is cut. */
enum { SWI_MESSAGE = 4096 + 1024 };

/* Where messages go: stderr, unless it is set. The texts are made in this struct, under its lock,
 * because the calling thread may have a stack of only 16 KiB. */
struct swi_messages {
    pthread_mutex_t lock;          /* robust, because fn may end the thread that holds it */
    _Atomic(const void *) speaker; /* the thread that calls fn now, or NULL */
    _Atomic(sw_message_fn *) fn;
    void *arg;
    atomic_bool hung;          /* fn did not return in time */
    atomic_bool ending;        /* the program ends: fn is not called any more */
    struct swi_live_line live; /* is not there while a message is printed */
    char text[SWI_MESSAGE];
    char shown[SWI_MESSAGE];
    char line[SWI_MESSAGE + 32];
};

void swi_messages_init(struct swi_messages *messages);
void swi_messages_fini(struct swi_messages *messages);

/* Returns whether no thread is within the program's function, from which it would come back to this
 * struct. */
bool swi_messages_are_idle(struct swi_messages *messages);

/* fn NULL: messages are discarded. Waits for a message of another thread. fn itself may call it. */
void swi_messages_set(struct swi_messages *messages, sw_message_fn *fn, void *arg);

/* Sends what follows to stderr, unless messages are discarded. For the end of the program: what fn
 * uses may be gone, and it may wait for a thread that will not run again. */
void swi_messages_end(struct swi_messages *messages);

/* Returns whether the calling thread is within fn. May be called in a signal handler. */
bool swi_message_is_sent(void);

/* Sends one line. Control characters, bidi marks and invalid UTF-8 become \xNN or \u{...}. Any
 * thread may call it. Messages of calls that fn makes go to stderr, and so do those that come while
 * fn has not returned for a second. */
__attribute__((format(printf, 3, 4))) void swi_say(struct swi_messages *messages,
                                                   enum sw_level level, const char *format, ...);

/* Sends each line of text as a message of its own. */
void swi_say_lines(struct swi_messages *messages, enum sw_level level, const char *text);

/* Like swi_say(), but does nothing once *silent is true: for a thread that was given up. */
__attribute__((format(printf, 4, 5))) void swi_say_unless(struct swi_messages *messages,
                                                          const atomic_bool *silent,
                                                          enum sw_level level, const char *format,
                                                          ...);

/* Makes the lock free in the child of a fork. */
void swi_messages_child(struct swi_messages *messages);

/* Sends a warning in the child of a fork, where other locks may be held for ever. */
void swi_say_in_child(struct swi_messages *messages, const char *text);

/* Waits a short time for a message that is being sent. Its receiver may hang. */
void swi_messages_settle(struct swi_messages *messages);

#endif
