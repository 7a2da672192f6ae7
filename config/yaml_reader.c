/* SPDX-License-Identifier: MIT */
#include "config/yaml_reader.h"
#include "config/yaml_tree.h"
#include "core/text/names.h"
#include "core/text/printable.h"
#include "core/text/vec.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Returns whether a text needs no quotes in a message: it has no blanks and no punctuation. */
static bool is_word(const char *text)
{
    static const char word[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+.${}";
    return *text && !text[strspn(text, word)];
}

const char *swi_node_show(char *buffer, size_t size, const struct swi_node *node)
{
    const char *text = node->written ? node->written : node->text;
    if (node->kind != SWI_NODE_TEXT) {
        snprintf(buffer, size, "%s", node->kind == SWI_NODE_LIST ? "a list" : "a mapping");
    } else if (node->is_null) {
        snprintf(buffer, size, "nothing");
    } else if (is_word(text)) {
        swi_printable(buffer, size, text);
    } else {
        buffer[0] = '"';
        swi_printable(buffer + 1, size - 2, text);
        size_t end = strlen(buffer);
        buffer[end] = '"';
        buffer[end + 1] = '\0';
    }
    return buffer;
}

const char *swi_node_found(char *buffer, size_t size, const struct swi_node *node)
{
    bool is_text = node->kind == SWI_NODE_TEXT && !node->is_null;
    size_t used = is_text ? (size_t)snprintf(buffer, size, "the text ") : 0;
    if (used && !*node->text && !node->written)
        snprintf(buffer, size, "empty text");
    else
        swi_node_show(buffer + used, size - used, node);
    return buffer;
}

void swi_node_unexpected(struct swi_yaml_reader *reading, const struct swi_node *node,
                         const char *key, const char *expected)
{
    SWI_NODE_MISTAKE(reading, node, "%s: found %s, expected %s", key, SWI_NODE_FOUND(node),
                     expected);
}

char *swi_yaml_reader_copy(struct swi_yaml_reader *reading, const char *text)
{
    char *copy = strdup(text);
    reading->no_memory = reading->no_memory || !copy;
    return copy;
}

bool swi_yaml_reader_room(struct swi_yaml_reader *reading, void *items, size_t count, size_t size)
{
    bool fits = swi_vec_room(items, count, size);
    reading->no_memory = reading->no_memory || !fits;
    return fits;
}

/* Writes "a, b and c". */
static void join(char *text, size_t size, const char *const *names, size_t count)
{
    size_t used = 0;
    for (size_t i = 0; i < count && used < size; i++) {
        const char *between = i == 0 ? "" : i + 1 < count ? ", " : " and ";
        used += (size_t)snprintf(text + used, size - used, "%s%s", between, names[i]);
    }
}

void swi_key_unknown(struct swi_yaml_reader *reading, const char *prefix,
                     const struct swi_node *key, const char *const *names, size_t count,
                     const char *hint)
{
    char all[512] = "";
    if (swi_enough_mistakes(reading->mistakes, &key->where))
        return;
    if (!hint && strpbrk(key->text, ":="))
        hint = "write a colon and a space between a key and its value";
    const char *nearest = hint ? NULL : swi_nearest(key->text, names, count);
    join(all, sizeof all, names, count);
    if (nearest)
        SWI_NODE_MISTAKE(reading, key, "%sunknown key \"%s\": did you mean %s? The keys are %s",
                         prefix, SWI_PRINTABLE(key->text), nearest, all);
    else if (hint)
        SWI_NODE_MISTAKE(reading, key, "%sunknown key \"%s\": %s", prefix, SWI_PRINTABLE(key->text),
                         hint);
    else
        SWI_NODE_MISTAKE(reading, key, "%sunknown key \"%s\": the keys are %s", prefix,
                         SWI_PRINTABLE(key->text), all);
}
