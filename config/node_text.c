/* SPDX-License-Identifier: MIT */
#include "config/node_text.h"

#include "core/text/printable.h"

#include <stdio.h>
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
