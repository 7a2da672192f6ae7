/* SPDX-License-Identifier: MIT */
#include "sinks/wandb/upload/spill.h"

#include <stdlib.h>
#include <string.h>

struct swi_spilled {
    struct swi_spilled *next;
    int64_t number;
    size_t size;
    unsigned char bytes[];
};

void swi_spill_init(struct swi_spill *spill)
{
    *spill = (struct swi_spill){0};
    pthread_mutex_init(&spill->lock, NULL);
}

void swi_spill_fini(struct swi_spill *spill)
{
    swi_spill_forget(spill, INT64_MAX);
    pthread_mutex_destroy(&spill->lock);
}

/* Returns whether a record is a row or statistics, which are frequent: after its number, the first
 * byte of a record is that of its only field. */
static bool is_one_of_many(const unsigned char *record, size_t size)
{
    size_t at = 1;
    while (at < size && record[at] & 0x80)
        at++;
    return at + 1 < size && (record[at + 1] == 0x12 || record[at + 1] == 0x3a);
}

bool swi_spill_put(struct swi_spill *spill, int64_t number, const void *record, size_t size)
{
    struct swi_spilled *one = malloc(sizeof *one + size);
    size_t most = is_one_of_many(record, size) ? SWI_SPILL_HELD : 2 * SWI_SPILL_HELD;
    if (!one)
        return false;
    *one = (struct swi_spilled){.number = number, .size = size};
    memcpy(one->bytes, record, size);
    pthread_mutex_lock(&spill->lock);
    bool taken = spill->bytes + sizeof *one + size <= most;
    if (taken) {
        *(spill->first ? &spill->last->next : &spill->first) = one;
        spill->last = one;
        spill->bytes += sizeof *one + size;
    }
    pthread_mutex_unlock(&spill->lock);
    if (!taken)
        free(one);
    return taken;
}

static const struct swi_spilled *find(const struct swi_spill *spill, int64_t after)
{
    const struct swi_spilled *one = spill->first;
    while (one && one->number <= after)
        one = one->next;
    return one;
}

int64_t swi_spill_next(struct swi_spill *spill, int64_t after)
{
    pthread_mutex_lock(&spill->lock);
    const struct swi_spilled *one = find(spill, after);
    int64_t number = one ? one->number : 0;
    pthread_mutex_unlock(&spill->lock);
    return number;
}

struct swi_record_message *swi_spill_get(struct swi_spill *spill, int64_t after)
{
    pthread_mutex_lock(&spill->lock);
    const struct swi_spilled *one = find(spill, after);
    struct swi_record_message *record =
        one ? swi_record_message_read(one->bytes, one->size, SIZE_MAX) : NULL;
    pthread_mutex_unlock(&spill->lock);
    return record;
}

void swi_spill_forget(struct swi_spill *spill, int64_t number)
{
    pthread_mutex_lock(&spill->lock);
    while (spill->first && spill->first->number <= number) {
        struct swi_spilled *one = spill->first;
        spill->first = one->next;
        spill->bytes -= sizeof *one + one->size;
        free(one);
    }
    pthread_mutex_unlock(&spill->lock);
}
