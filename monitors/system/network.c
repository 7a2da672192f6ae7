/* SPDX-License-Identifier: MIT */
#include "monitors/system/network.h"

#include "monitors/common/interfaces.h"
#include "monitors/common/machine_counts.h"

#include <stdio.h>
#include <stdlib.h>

/* Bytes a second of the interfaces that count. */
struct network {
    double per_s[2];  /* received, sent */
    bool any[2];      /* one has a rate */
    bool set_back[2]; /* one was: the sum is unknown */
};

/* One that came since the last sample has no rate yet. */
static void add(struct swi_system *system, struct network *network, int way, const char *name,
                uint64_t bytes)
{
    char key[96];
    double difference = -1, seconds = 0;
    snprintf(key, sizeof key, "network/%d/%s", way, name);
    int64_t now_ns = swi_machine_now(&system->machine, system->time_ns);
    bool known = swi_rate_parts(&system->rates, key, bytes, now_ns, &difference, &seconds);
    network->any[way] |= known;
    network->set_back[way] |= !known && difference == 0;
    if (known)
        network->per_s[way] += difference / seconds;
}

static void interfaces(struct swi_system *system)
{
    static const char *const names[] = {"system/network/received_bytes_per_s",
                                        "system/network/sent_bytes_per_s"};
    struct swi_interface *list;
    struct network network = {0};
    size_t count = swi_interfaces_read(&system->machine, &list);
    for (size_t i = 0; i < count; i++)
        for (int way = 0; way < 2; way++)
            add(system, &network, way, list[i].name, list[i].bytes[way]);
    free(list);
    for (int way = 0; way < 2; way++)
        if (network.any[way] && !network.set_back[way])
            swi_give(system, network.per_s[way], "%s", names[way]);
}

void swi_sample_network(struct swi_system *system)
{
    uint64_t segments;
    interfaces(system);
    if (swi_tcp_sent_again(&system->machine, &segments))
        swi_give_rate(system, segments, "system/network/tcp_retransmits_per_s");
}
