/* SPDX-License-Identifier: MIT */
/* logging.h - what all calls that log a value have in common: whether it is wanted, its name, its
 * memory, its record. */
#ifndef CORE_VALUES_LOGGING_H
#define CORE_VALUES_LOGGING_H

#include "core/loop/calling_thread.h"
#include "core/loop/step.h"

#include <stepwatch/value_records.h>

/* Longest text of a value, and of its caption or description. */
enum { SWI_TEXT_MAX = 1 << 20, SWI_CAPTION_MAX = 4096 };

/* A value that is being logged. */
struct swi_logging {
    struct sw_profiler *sw;
    const struct swi_thread *thread;
    enum sw_value_kind kind;
    const char *name; /* as the program gave it; after swi_logging_name() the interned name */
};

/* Whether some sink takes such values: one load. */
static inline bool swi_value_is_wanted(const struct sw_profiler *sw, enum sw_value_kind kind)
{
    return sw && sw->records.budget.limit && sw->records.pipeline &&
           (swi_pipeline_value_kinds(sw->records.pipeline) & SW_WANT_VALUE(kind));
}

/* False: there is nothing to do, and the call returns 0. */
bool swi_logging_begin(struct swi_logging *logging, struct sw_profiler *sw, enum sw_value_kind kind,
                       const char *name);

/* Refuses the value: returns SW_EINVAL. */
#define SWI_REFUSE(logging, ...)                                                                   \
    swi_refuse(&(logging)->sw->records.refusals, &(logging)->sw->records.messages,                 \
               (logging)->kind, (logging)->name, __VA_ARGS__)

/* Keeps the name, where its values are of this kind: 0, or SW_EINVAL, which is said. */
int swi_logging_name(struct swi_logging *logging);

/* Memory from the budget. NULL: *rc is set, and what is wrong is counted. */
void *swi_logging_block(const struct swi_logging *logging, size_t size, int *rc);

/* Sends a value that is in a block; release frees it, with the block. Returns 0 or SW_ENOMEM. */
int swi_logging_send(const struct swi_logging *logging, struct sw_value *value, void *block,
                     size_t bytes, void (*release)(void *block));

/* The same for a value that is only a block, which is freed on failure, too. */
int swi_logging_send_block(const struct swi_logging *logging, struct sw_value *value, void *block,
                           size_t bytes);

/* A record of any kind of this call, with the current step, which owns a block; NULL if out of
 * memory, which is said. */
struct swi_record *swi_logging_record(const struct swi_logging *logging, enum sw_record_type type,
                                      void *block, void (*release)(void *block));

/* Copies size bytes and a NUL to where `room` points, and moves that behind them. */
const char *swi_text_take(char **room, const char *text, size_t size);

/* The same for a whole text, and how many bytes that takes. NULL takes none, and stays NULL. */
const char *swi_text_copy(char **room, const char *text);
size_t swi_text_room(const char *text);

/* A text of a program as it is kept: valid UTF-8 and not longer than most. */
struct swi_valid_text {
    const char *text;
    size_t size;
    bool cut;
    char *repaired; /* to be freed; NULL: text is the program's own */
};
/* Returns false if out of memory. */
bool swi_valid_text_init(struct swi_valid_text *valid, const char *text, size_t most);

#endif
