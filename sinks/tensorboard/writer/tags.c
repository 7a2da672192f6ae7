/* SPDX-License-Identifier: MIT */
#include "sinks/tensorboard/writer/tags.h"

#include "core/text/characters.h"
#include "sinks/tensorboard/writer/metadata.h"

#include <stdlib.h>
#include <string.h>

static void tag_free(struct swi_tb_tag *tag)
{
    if (!tag)
        return;
    free(tag->name);
    free(tag->markdown);
    free(tag);
}

static struct swi_tb_tag *tag_new(const char *key, size_t size)
{
    struct swi_tb_tag *tag = calloc(1, sizeof *tag);
    if (!tag)
        return NULL;
    tag->name = size == 0 ? strdup("unnamed") : swi_utf8_repair(key, size);
    if (tag->name) {
        tag->name_size = strlen(tag->name);
        return tag;
    }
    tag_free(tag);
    return NULL;
}

struct swi_tb_tag *swi_tb_tags_get(struct swi_tb_tags *tags, const char *key)
{
    size_t size = strlen(key);
    struct swi_tb_tag **at = swi_map_item(&tags->keys, &tags->tag, sizeof(void *), key, size);
    if (!at)
        return NULL;
    if (*at)
        return (*at)->same ? (*at)->same : *at;
    struct swi_tb_tag *tag = *at = tag_new(key, size);
    if (!tag || strcmp(key, tag->name) == 0)
        return tag;
    /* Two keys with the same spelling are one series and must have the same kind. */
    tags->repaired++;
    tag->same = swi_tb_tags_get(tags, tag->name);
    return tag->same;
}

const struct swi_tb_tag *swi_tb_tags_find(const struct swi_tb_tags *tags, const char *key)
{
    ptrdiff_t number = swi_map_find(&tags->keys, key, strlen(key));
    const struct swi_tb_tag *tag = number < 0 ? NULL : tags->tag[number];
    return tag && tag->same ? tag->same : tag;
}

void swi_tb_tags_fini(struct swi_tb_tags *tags)
{
    for (size_t i = 0; i < tags->keys.count; i++)
        tag_free(tags->tag[i]);
    free(tags->tag);
    swi_map_free(&tags->keys);
    *tags = (struct swi_tb_tags){0};
}
