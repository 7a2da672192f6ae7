/* SPDX-License-Identifier: MIT */
/* tree.h - a YAML document as a tree whose nodes know their place, within the limits of limits.h.
 *
 * An alias is the node that it names, so a node may be reached more than once, but never from
 * within itself. What a node means is left to whoever walks the tree. */
#ifndef CONFIG_TREE_H
#define CONFIG_TREE_H

#include "core/text/mistakes.h"

#include <stdbool.h>
#include <stdint.h>

enum swi_node_kind { SWI_NODE_TEXT, SWI_NODE_LIST, SWI_NODE_MAPPING };

/* An entry of a list (key NULL) or of a mapping. */
struct swi_item {
    struct swi_node *key; /* a text */
    struct swi_node *value;
};

struct swi_node {
    enum swi_node_kind kind;
    bool quoted;           /* or a block, or tagged as a text */
    bool is_null;          /* nothing, ~ or null, unquoted */
    bool from_environment; /* the text holds a variable's value */
    bool from_program;     /* no file has it: sw_open_options() was given it */
    bool repeats_key;      /* a list, because the program gave its key more than once */
    bool wrong;            /* a mistake was already reported: use a default, report nothing more */
    uint8_t height;        /* a text's is 0 */
    struct swi_where where;
    char *text;    /* a text's, with ${...} put in */
    char *written; /* as written in the file, if different; else NULL */
    size_t count;
    struct swi_item *item;
    uint32_t nodes; /* itself and all below it, each as often as it can be reached */
    uint32_t bytes; /* of their texts */
    struct swi_node *next;
};

struct swi_tree {
    struct swi_node *root; /* NULL: an empty document */
    struct swi_node *all;
};

/* Parses text (checked by swi_source_check()). name: what messages call it, borrowed by the tree.
 * Returns 0, with every mistake in mistakes (duplicate keys are left out of the tree, other wrong
 * nodes are marked); SW_ECONFIG when a mistake ended the parsing; SW_ENOMEM. Ends in
 * swi_tree_fini() in any case. */
int swi_tree_parse(struct swi_tree *tree, const char *text, size_t size, const char *name,
                   struct swi_mistakes *mistakes, struct sw_error *err);
void swi_tree_fini(struct swi_tree *tree);

#endif
