/* SPDX-License-Identifier: MIT */
/* arena.h - memory for the messages of one call, freed together. */
#ifndef TENSORBOARD_ARENA_H
#define TENSORBOARD_ARENA_H

#include <stdbool.h>
#include <stddef.h>

/* Zero-initialised is empty. */
struct swi_tb_arena {
    struct swi_tb_block *first;
    bool failed;  /* some memory was not to be had: what was made is not to be used */
    int repaired; /* texts that were not UTF-8 */
};

/* Zeroed memory for count things of size bytes; NULL without, and then failed is set. */
void *swi_tb_arena_new(struct swi_tb_arena *arena, size_t count, size_t size);

/* The text as valid UTF-8: itself, or a repaired copy. NULL is "". Never NULL. */
char *swi_tb_arena_text(struct swi_tb_arena *arena, const char *text);

void swi_tb_arena_fini(struct swi_tb_arena *arena);

#endif
