/* SPDX-License-Identifier: MIT */
#include "config/repeated_keys.h"

#include "config/yaml_limits.h"
#include "config/yaml_tree.h"
#include "core/text/printable.h"

#include <stdlib.h>
#include <string.h>

static int by_text_then_place(const void *a, const void *b)
{
    const struct swi_node *x = *(struct swi_node *const *)a, *y = *(struct swi_node *const *)b;
    int order = strcmp(x->text, y->text);
    if (order)
        return order;
    if (x->where.line != y->where.line)
        return x->where.line < y->where.line ? -1 : 1;
    return (x->where.column > y->where.column) - (x->where.column < y->where.column);
}

static void keep_right_keys(struct swi_node *mapping)
{
    size_t kept = 0;
    for (size_t i = 0; i < mapping->count; i++)
        if (!mapping->item[i].key->wrong)
            mapping->item[kept++] = mapping->item[i];
    mapping->count = kept;
}

/* Sorts the keys, because a file may have 50,000. */
bool swi_repeated_keys_remove(struct swi_node *mapping, struct swi_mistakes *mistakes)
{
    size_t count = mapping->count;
    struct swi_node **key = count ? malloc(count * sizeof *key) : NULL;
    if (count && !key)
        return false;
    for (size_t i = 0; i < count; i++)
        key[i] = mapping->item[i].key;
    if (key)
        qsort(key, count, sizeof *key, by_text_then_place);
    size_t first = 0;
    for (size_t i = 1; i < count; i++) {
        if (strcmp(key[i]->text, key[first]->text) != 0 || key[first]->wrong) {
            first = i;
        } else if (!key[i]->wrong) {
            key[i]->wrong = true;
            if (swi_enough_mistakes(mistakes, &key[i]->where))
                continue;
            swi_mistakes_add(mistakes, &key[i]->where,
                             "the key \"%s\" is given twice; first at %d:%d: remove one of them",
                             SWI_PRINTABLE(key[i]->text), key[first]->where.line,
                             key[first]->where.column);
        }
    }
    free(key);
    keep_right_keys(mapping);
    return true;
}
