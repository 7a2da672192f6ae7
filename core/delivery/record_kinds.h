/* SPDX-License-Identifier: MIT */
/* record_kinds.h - what delivery must know of each kind of record. A new kind is one more line. */
#ifndef CORE_DELIVERY_RECORD_KINDS_H
#define CORE_DELIVERY_RECORD_KINDS_H

#include <stepwatch/sink.h>

#include <stdbool.h>

struct swi_record_kind {
    const char *plural; /* as a summary names those that were dropped */
    bool
        drops_when_full; /* if the ring of records that should arrive is full; else it never does */
};

/* By enum sw_record_type. */
extern const struct swi_record_kind swi_record_kinds[];

#endif
