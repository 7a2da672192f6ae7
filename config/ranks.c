/* SPDX-License-Identifier: MIT */
#include "config/ranks.h"

#include "config/yaml_reader.h"
#include "config/node_text.h"

#include <string.h>

/* Returns the number of a key of the mapping. Returns -1 and reports a mistake if it is missing or
 * wrong. */
static int64_t number_read(struct swi_yaml_reader *reading, const struct swi_node *ranks,
                           const char *name, int64_t least)
{
    const struct swi_node *value = NULL;
    for (size_t i = 0; i < ranks->count; i++)
        if (strcmp(ranks->item[i].key->text, name) == 0)
            value = ranks->item[i].value;
    if (!value || (value->is_null && !value->wrong)) {
        swi_mistakes_add(reading->mistakes, value ? &value->where : &ranks->where,
                         "ranks: %s is missing: expected both, like {rank: 0, size: 4}", name);
        return -1;
    }
    if (value->wrong)
        return -1;
    bool is_text = value->kind == SWI_NODE_TEXT;
    int64_t number = is_text ? swi_digits(value->text, strlen(value->text)) : -1;
    if (number >= least)
        return number;
    swi_mistakes_add(reading->mistakes, &value->where,
                     "ranks: %s: found %s, expected a number from %d", name, SWI_NODE_FOUND(value),
                     (int)least);
    return -1;
}

static void keys_check(struct swi_yaml_reader *reading, const struct swi_node *ranks)
{
    static const char *const names[] = {"rank", "size"};
    for (size_t i = 0; i < ranks->count; i++) {
        const struct swi_node *key = ranks->item[i].key;
        if (strcmp(key->text, names[0]) != 0 && strcmp(key->text, names[1]) != 0)
            swi_key_unknown(reading, "ranks: ", key, names, 2, NULL);
    }
}

void swi_ranks_read(struct swi_yaml_reader *reading, const struct swi_node *node)
{
    if (node->wrong || node->is_null)
        return;
    if (node->kind != SWI_NODE_MAPPING) {
        swi_mistakes_add(reading->mistakes, &node->where,
                         "ranks: found %s, expected a mapping, like {rank: 0, size: 4}",
                         SWI_NODE_FOUND(node));
        return;
    }
    keys_check(reading, node);
    int64_t rank = number_read(reading, node, "rank", 0);
    int64_t size = number_read(reading, node, "size", 1);
    if (rank < 0 || size < 0)
        return;
    if (rank >= size)
        swi_mistakes_add(reading->mistakes, &node->where,
                         "ranks: rank %lld is not below size %lld: the first rank is 0",
                         (long long)rank, (long long)size);
    else
        reading->config->settings.ranks = (struct swi_rank_given){rank, size};
}
