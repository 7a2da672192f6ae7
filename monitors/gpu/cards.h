/* SPDX-License-Identifier: MIT */
/* cards.h - GPUs of AMD and Intel, by files of the kernel. */
#ifndef MONITORS_GPU_CARDS_H
#define MONITORS_GPU_CARDS_H

#include "monitors/common/kernel_files.h"

#include <stepwatch/monitor.h>

enum { SWI_CARDS = 64 };

struct swi_card {
    char name[SWI_MACHINE_NAME]; /* "card0" */
    bool intel;
};

/* In the order in which they are numbered: those of AMD, then those of Intel. */
struct swi_cards {
    size_t count;
    struct swi_card card[SWI_CARDS];
    struct swi_rate_readings rates;
};

/* Finds the cards that say something. */
void swi_cards_find(struct swi_cards *cards, const struct swi_machine *machine);

/* Gives the values of each card; first: number of the first one. */
void swi_cards_sample(struct swi_cards *cards, const struct swi_machine *machine,
                      struct sw_monitor *monitor, size_t first, int64_t began_ns);

void swi_cards_free(struct swi_cards *cards);

#endif
