/* SPDX-License-Identifier: MIT */
/* straggler_sentence.h - describes the straggler in a sentence. */
#ifndef CORE_STRAGGLERS_STRAGGLER_SENTENCE_H
#define CORE_STRAGGLERS_STRAGGLER_SENTENCE_H

#include "core/stragglers/straggler.h"
#include "core/text/buffer.h"

#include <stdint.h>

/* Adds a sentence without a full stop and a newline: "rank 317 (node n39): backward takes 41.00 ms
 * more a step than the median; everybody waits for it in allreduce; without it: +18.0 % samples/s".
 * Names given by the user are not escaped: escape the text for its destination.
 *
 * rank, node: of found->rank; node may be NULL. block: how many real steps each step of the data
 * stands for. */
void swi_straggler_sentence(struct swi_text *text, const struct swi_straggler *found, int64_t rank,
                            const char *node, size_t block);

#endif
