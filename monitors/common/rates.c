/* SPDX-License-Identifier: MIT */
#include "monitors/common/rates.h"

#include <stdlib.h>
#include <string.h>

enum { KEY_MAX = 96, KEYS_MAX = 4096 };

struct swi_rate_reading {
    char key[KEY_MAX];
    uint64_t number;
    int64_t time_ns;
};

static struct swi_rate_reading *find(struct swi_rate_readings *rates, const char *key)
{
    for (size_t i = 0; i < rates->count; i++)
        if (strcmp(rates->item[i].key, key) == 0)
            return &rates->item[i];
    return NULL;
}

static void add(struct swi_rate_readings *rates, const char *key, uint64_t number, int64_t time_ns)
{
    if (strlen(key) >= KEY_MAX || rates->count == KEYS_MAX)
        return;
    if (rates->count == rates->room) {
        size_t room = rates->room ? 2 * rates->room : 16;
        struct swi_rate_reading *grown = realloc(rates->item, room * sizeof *grown);
        if (!grown)
            return;
        rates->item = grown;
        rates->room = room;
    }
    struct swi_rate_reading *kept = &rates->item[rates->count++];
    memcpy(kept->key, key, strlen(key) + 1);
    kept->number = number;
    kept->time_ns = time_ns;
}

bool swi_rate_parts(struct swi_rate_readings *rates, const char *key, uint64_t number,
                    int64_t time_ns, double *difference, double *seconds)
{
    struct swi_rate_reading *kept = find(rates, key);
    if (!kept) {
        add(rates, key, number, time_ns);
        return false;
    }
    bool known = number >= kept->number && time_ns - kept->time_ns >= SWI_RATE_SHORTEST_NS;
    *difference = known ? (double)(number - kept->number) : 0;
    *seconds = (double)(time_ns - kept->time_ns) * 1e-9;
    kept->number = number;
    kept->time_ns = time_ns;
    return known;
}

bool swi_rate(struct swi_rate_readings *rates, const char *key, uint64_t number, int64_t time_ns,
              double *per_s)
{
    double difference, seconds;
    bool known = swi_rate_parts(rates, key, number, time_ns, &difference, &seconds);
    if (known)
        *per_s = difference / seconds;
    return known;
}

bool swi_rate_since(struct swi_rate_readings *rates, const char *key, uint64_t number,
                    double *since)
{
    const struct swi_rate_reading *first = find(rates, key);
    if (!first)
        add(rates, key, number, 0);
    bool fallen = first && number < first->number;
    *since = first && !fallen ? (double)(number - first->number) : 0;
    return !fallen;
}

void swi_rate_readings_free(struct swi_rate_readings *rates)
{
    free(rates->item);
    *rates = (struct swi_rate_readings){0};
}
