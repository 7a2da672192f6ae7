/* SPDX-License-Identifier: MIT */
#include "monitors/system/network.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Bytes a second of all interfaces together. */
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
    bool known = swi_rate_parts(&system->rates, key, bytes, system->time_ns, &difference, &seconds);
    network->any[way] |= known;
    network->set_back[way] |= !known && difference == 0;
    if (known)
        network->per_s[way] += difference / seconds;
}

/* "  eth0:633055169 10 0 …": the number may touch the colon. */
static void interface(struct swi_system *system, struct network *network, const char *line)
{
    char name[64];
    const char *at;
    uint64_t field, bytes[2] = {0};
    line += strspn(line, " ");
    const char *end = strchr(line, '\n'), *colon = strchr(line, ':');
    if (!colon || (end && colon > end) || colon - line >= (int)sizeof name)
        return;
    snprintf(name, sizeof name, "%.*s", (int)(colon - line), line);
    at = colon + 1;
    for (int i = 0; i < 9; i++) {
        if (!swi_text_count(&at, &field))
            return;
        if (i == 0 || i == 8)
            bytes[i == 8] = field;
    }
    for (int way = 0; way < 2 && strcmp(name, "lo") != 0; way++)
        add(system, network, way, name, bytes[way]);
}

static void interfaces(struct swi_system *system)
{
    static const char *const names[] = {"system/network/received_bytes_per_s",
                                        "system/network/sent_bytes_per_s"};
    char *text = swi_machine_text(&system->machine, "/proc/net/dev");
    struct network network = {0};
    for (const char *line = text; line; line = swi_text_next_line(line))
        interface(system, &network, line);
    free(text);
    for (int way = 0; way < 2; way++)
        if (network.any[way] && !network.set_back[way])
            swi_give(system, network.per_s[way], "%s", names[way]);
}

/* The file has a line of names for each protocol, then one of values. */
static bool sent_again(const char *text, uint64_t *segments)
{
    static const char field[] = " RetransSegs";
    const char *names = strncmp(text, "Tcp:", 4) == 0 ? text : strstr(text, "\nTcp:");
    names += names && *names == '\n';
    const char *values = names ? swi_text_next_line(names) : NULL;
    const char *found = names ? strstr(names, field) : NULL;
    if (!values || strncmp(values, "Tcp:", 4) != 0 || !found || found > values)
        return false;
    const char *end = values + strcspn(values, "\n");
    for (const char *at = names; values && at <= found; at++)
        if (*at == ' ')
            values = memchr(values + 1, ' ', (size_t)(end - values - 1));
    return values && swi_text_count(&values, segments);
}

void swi_sample_network(struct swi_system *system)
{
    char text[SWI_MACHINE_TEXT];
    uint64_t segments;
    interfaces(system);
    if (swi_machine_read(&system->machine, "/proc/net/snmp", text, sizeof text) &&
        sent_again(text, &segments))
        swi_give_rate(system, segments, "system/network/tcp_retransmits_per_s");
}
