/* SPDX-License-Identifier: MIT */
/* turns.h - when a sink tries again to write to a database that another program has locked.
 *
 * Each try is at a random time, so that writers do not meet again and again, and the longer one has
 * waited, the more often it tries. So all get their turn, however many there are. */
#ifndef SINKS_SQLITE_TURNS_H
#define SINKS_SQLITE_TURNS_H

#include <stdbool.h>
#include <stdint.h>

struct swi_turns {
    uint64_t random;  /* not 0 */
    int64_t since_ns; /* since when the database has been locked; 0: it is not */
    int64_t next_ns;  /* when to try again */
};

#define SWI_TURN_MOST_NS INT64_C(256000000)
#define SWI_TURN_LEAST_NS INT64_C(16000000)

/* Returns the time until the next try: on average half of SWI_TURN_MOST_NS at first, and less each
 * second down to half of SWI_TURN_LEAST_NS. */
static inline int64_t swi_turns_pause_ns(struct swi_turns *turns, int64_t now_ns)
{
    int64_t seconds = turns->since_ns ? (now_ns - turns->since_ns) / 1000000000 : 0;
    int64_t most = seconds < 15 ? SWI_TURN_MOST_NS / (seconds + 1) : SWI_TURN_LEAST_NS;
    turns->random ^= turns->random << 13; /* Marsaglia's xorshift */
    turns->random ^= turns->random >> 7;
    turns->random ^= turns->random << 17;
    return (int64_t)(turns->random % (uint64_t)most);
}

/* Notes the outcome of a try. */
static inline void swi_turns_note(struct swi_turns *turns, bool locked, int64_t now_ns)
{
    if (!locked)
        turns->since_ns = turns->next_ns = 0;
    else if (!turns->since_ns)
        turns->since_ns = now_ns;
    if (locked)
        turns->next_ns = now_ns + swi_turns_pause_ns(turns, now_ns);
}

#endif
