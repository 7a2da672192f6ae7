/* SPDX-License-Identifier: MIT */
/* record_kinds.h - what delivery must know about each kind of record: one line for each kind. */
#ifndef CORE_DELIVERY_RECORD_KINDS_H
#define CORE_DELIVERY_RECORD_KINDS_H

#include <stepwatch/sink.h>

#include <stdbool.h>

struct swi_record_kind {
    const char *plural; /* in the summary of what was dropped */
    bool
        drops_when_full; /* if the ring of records that should arrive is full; else it never does */
};

/* By enum sw_record_type. */
extern const struct swi_record_kind swi_record_kinds[];

#endif
