/* SPDX-License-Identifier: MIT */
/* toy - a counter that has gone up by 1 each time it is read. With a program that finds it by its
 * name, reads it, and names the counter behind it. */
#include "core/counters/counter.h"

#include <stdio.h>

static bool toy_read(int64_t *value)
{
    static _Thread_local int64_t times;
    *value = ++times;
    return true;
}

const struct swi_counter swi_counter_toy = {
    .name = "toy",
    .label = "Toys",
    .unit = "",
    .kind = SW_COUNTER_SUM,
    .help = "how often it was read",
    .read = toy_read,
};

int main(void)
{
    int64_t first = 0, third = 0;
    const struct swi_counter *toy = swi_counters_find("toy");
    for (int i = 0; toy && i < 3; i++)
        toy->read(i ? &third : &first);
    printf("%s %s: %lld %lld\n", toy ? toy->name : "none", swi_counters_at(1)->name,
           (long long)third, (long long)first);
    return 0;
}
