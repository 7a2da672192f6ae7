/* SPDX-License-Identifier: MIT */
/* arena.c - a list of blocks. */
#include "sinks/tensorboard/writer/arena.h"

#include "core/text/characters.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct swi_tb_block {
    struct swi_tb_block *next;
    void *data;
};

/* Frees data together with the arena. If out of memory, frees data now and returns NULL. */
static void *keep(struct swi_tb_arena *arena, void *data)
{
    struct swi_tb_block *block = data ? malloc(sizeof *block) : NULL;
    if (!block) {
        free(data);
        arena->failed = true;
        return NULL;
    }
    *block = (struct swi_tb_block){.next = arena->first, .data = data};
    arena->first = block;
    return data;
}

void *swi_tb_arena_new(struct swi_tb_arena *arena, size_t count, size_t size)
{
    return keep(arena, calloc(count ? count : 1, size));
}

char *swi_tb_arena_text(struct swi_tb_arena *arena, const char *text)
{
    static char empty[] = "";
    if (!text)
        return empty;
    size_t size = strlen(text);
    if (swi_utf8_is_valid(text, size))
        return (char *)(uintptr_t)text;
    arena->repaired++;
    char *copy = keep(arena, swi_utf8_repair(text, size));
    return copy ? copy : empty;
}

void swi_tb_arena_fini(struct swi_tb_arena *arena)
{
    while (arena->first) {
        struct swi_tb_block *block = arena->first;
        arena->first = block->next;
        free(block->data);
        free(block);
    }
}
