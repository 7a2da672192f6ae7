/* SPDX-License-Identifier: MIT */
/* tags.c - a hash table with open addressing; tags are never removed. */
#include "sinks/tensorboard/writer/tags.h"

#include "core/text/characters.h"
#include "sinks/tensorboard/writer/metadata.h"

#include <stdlib.h>
#include <string.h>

/* Eight bytes at a time, because every scalar needs it. */
static uint64_t mix(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ (hash >> 29);
}

static uint64_t hash_of(const char *key, size_t size)
{
    uint64_t hash = size;
    uint64_t word;
    for (; size >= 8; key += 8, size -= 8) {
        memcpy(&word, key, 8);
        hash = mix(hash, word);
    }
    word = 0;
    memcpy(&word, key, size);
    return mix(hash, word);
}

static bool grow(struct swi_tb_tags *tags)
{
    size_t room = tags->room ? 2 * tags->room : 64;
    struct swi_tb_tag **slot = calloc(room, sizeof *slot);
    if (!slot)
        return false;
    for (size_t i = 0; i < tags->room; i++) {
        struct swi_tb_tag *tag = tags->slot[i];
        if (!tag)
            continue;
        size_t at = tag->hash & (room - 1);
        while (slot[at])
            at = (at + 1) & (room - 1);
        slot[at] = tag;
    }
    free(tags->slot);
    tags->slot = slot;
    tags->room = room;
    return true;
}

static void tag_free(struct swi_tb_tag *tag)
{
    if (!tag)
        return;
    free(tag->key);
    free(tag->name);
    free(tag->markdown);
    free(tag);
}

static struct swi_tb_tag *tag_new(const char *key, size_t size, uint64_t hash)
{
    struct swi_tb_tag *tag = calloc(1, sizeof *tag);
    if (!tag)
        return NULL;
    tag->hash = hash;
    tag->key = strdup(key);
    tag->key_size = size;
    tag->name = size == 0 ? strdup("unnamed") : swi_utf8_repair(key, size);
    if (tag->key && tag->name) {
        tag->name_size = strlen(tag->name);
        return tag;
    }
    tag_free(tag);
    return NULL;
}

static struct swi_tb_tag **find(const struct swi_tb_tags *tags, const char *key, size_t size,
                                uint64_t hash)
{
    for (size_t at = hash & (tags->room - 1);; at = (at + 1) & (tags->room - 1)) {
        struct swi_tb_tag *tag = tags->slot[at];
        if (!tag || (tag->hash == hash && tag->key_size == size && !memcmp(tag->key, key, size)))
            return &tags->slot[at];
    }
}

/* Two keys with the same spelling are one series and must have the same kind. */
static struct swi_tb_tag *add(struct swi_tb_tags *tags, struct swi_tb_tag **slot,
                              struct swi_tb_tag *tag)
{
    if (!tag)
        return NULL;
    *slot = tag;
    tags->count++;
    if (strcmp(tag->key, tag->name) == 0)
        return tag;
    tags->repaired++;
    tag->same = swi_tb_tags_get(tags, tag->name);
    return tag->same;
}

struct swi_tb_tag *swi_tb_tags_get(struct swi_tb_tags *tags, const char *key)
{
    size_t size = strlen(key);
    uint64_t hash = hash_of(key, size);
    /* At most half full, so that searches are short. */
    if (2 * tags->count >= tags->room && !grow(tags))
        return NULL;
    struct swi_tb_tag **slot = find(tags, key, size, hash);
    if (!*slot)
        return add(tags, slot, tag_new(key, size, hash));
    return (*slot)->same ? (*slot)->same : *slot;
}

const struct swi_tb_tag *swi_tb_tags_find(const struct swi_tb_tags *tags, const char *key)
{
    size_t size = strlen(key);
    if (tags->room == 0)
        return NULL;
    const struct swi_tb_tag *tag = *find(tags, key, size, hash_of(key, size));
    return tag && tag->same ? tag->same : tag;
}

void swi_tb_tags_fini(struct swi_tb_tags *tags)
{
    for (size_t i = 0; i < tags->room; i++)
        tag_free(tags->slot[i]);
    free(tags->slot);
    *tags = (struct swi_tb_tags){0};
}
