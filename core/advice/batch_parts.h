/* SPDX-License-Identifier: MIT */
/* batch_parts.h - how a batch is divided among the actions in it. */
#ifndef CORE_ADVICE_BATCH_PARTS_H
#define CORE_ADVICE_BATCH_PARTS_H

#include "core/advice/judge.h"

struct swi_batch_parts {
    bool known;               /* forward is measured */
    bool own;                 /* the user's own actions are measured too */
    double total;             /* of all batches, ns */
    double rest;              /* median share of a batch that is in no standard action */
    double forward, backward; /* shares */
};
struct swi_batch_parts swi_batch_parts_of(struct swi_judge *judge);

#endif
