/* SPDX-License-Identifier: MIT */
#include "sinks/common/trace_formats/perfetto_packets.h"

#include "core/text/hash.h"
#include "sinks/common/trace_formats/json_event.h"
#include "core/text/wire.h"

#include <stdlib.h>
#include <string.h>

void swi_pf_repaired_add(struct swi_text *to, unsigned field, const char *text)
{
    struct swi_text repaired = {0};
    swi_timeline_repair(&repaired, text, strlen(text));
    swi_wire_add_text(to, field, repaired.data ? repaired.data : "", repaired.size);
    swi_text_free(&repaired);
}

/* Adds a packet and frees it. */
void swi_pf_packet_take(struct swi_timeline *t, struct swi_text *packet)
{
    t->failed |= packet->failed;
    swi_wire_add_message(&t->out, SWI_PF_PACKET, packet);
}

/* ---- numbers that are unique among the files of all ranks ------------------------------------ */

uint64_t swi_pf_uuid(const struct swi_timeline_process *process, uint64_t number)
{
    uint64_t hash = swi_hash64(SWI_HASH64_BEGIN, process->host);
    hash = swi_hash64_word(hash, (uint64_t)process->rank);
    return (((uint64_t)process->pid << 32) + number) ^ hash;
}

/* The number takes one byte for a run of one process. */
static uint64_t sequence_of(const struct swi_timeline_process *process, int number)
{
    bool alone = process->world_size <= 1;
    return (alone ? 0 : (uint64_t)(process->rank + 1) << 10) + (uint64_t)number;
}

uint64_t swi_pf_process_sequence(const struct swi_timeline_process *process)
{
    return sequence_of(process, 1);
}

uint64_t swi_pf_track_sequence(const struct swi_timeline *t, const struct swi_track *track)
{
    return sequence_of(t->process[track->process], 2 + track->number);
}

uint64_t swi_pf_track_uuid(const struct swi_timeline *t, const struct swi_track *track)
{
    return swi_pf_uuid(t->process[track->process], SWI_UUID_THREADS + (uint64_t)track->thread);
}
