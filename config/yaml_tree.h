/* SPDX-License-Identifier: MIT */
/* yaml_tree.h - a YAML document as a tree whose nodes know their places, within the limits of
 * yaml_limits.h.
 *
 * An alias becomes the node that it names. So a node may be reached more than once, but never from
 * within itself. The code that reads the tree decides what a node means. */
#ifndef CONFIG_YAML_TREE_H
#define CONFIG_YAML_TREE_H

#include "core/text/config_mistakes.h"

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
    bool quoted;           /* or is a block, or is tagged as text */
    bool is_null;          /* nothing, ~ or null, unquoted */
    bool from_environment; /* the text holds a variable's value */
    bool from_program;     /* from sw_open_options(), not from a file */
    bool repeats_key;      /* a list, because the program gave its key more than once */
    bool wrong;     /* a mistake was already reported: use a default and report nothing more */
    uint8_t height; /* 0 for a text */
    struct swi_where where;
    char *text;    /* for a text: with ${...} replaced */
    char *written; /* as written in the file, if that differs; else NULL */
    size_t count;
    struct swi_item *item;
    uint32_t nodes; /* itself and all nodes below, each as often as it can be reached */
    uint32_t bytes; /* bytes of their texts */
    struct swi_node *next;
};

struct swi_tree {
    struct swi_node *root; /* NULL for an empty document */
    struct swi_node *all;
};

/* Parses text, which swi_source_check() must have checked. name: the file in messages, borrowed by
 * the tree. Returns 0 with all mistakes in mistakes: duplicate keys are left out of the tree, and
 * other wrong nodes are marked. Returns SW_ECONFIG if a mistake ended the parsing, or SW_ENOMEM.
 * Call swi_tree_fini() in any case. */
int swi_tree_parse(struct swi_tree *tree, const char *text, size_t size, const char *name,
                   struct swi_mistakes *mistakes, struct sw_error *err);
void swi_tree_fini(struct swi_tree *tree);

#endif
