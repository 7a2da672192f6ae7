/* SPDX-License-Identifier: MIT */
/* yaml_tree.h - a YAML document as a tree whose nodes know their places, within the limits of
 * below.
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

/* ---- the limits of a configuration ----------------------------------------------------------- */

/* libyaml has none of its own: it needs 15 s for 100,000 nested [,
 * and nine lines of aliases can expand to 400 million nodes. */
enum {
    SWI_CONFIG_BYTES =
        1 << 20,           /* of the file, and of all texts after aliases and ${VAR} are expanded */
    SWI_CONFIG_DEPTH = 64, /* nested lists and mappings */
    SWI_CONFIG_NODES = 100000, /* texts, lists and mappings after aliases are expanded */
    SWI_CONFIG_ALIASES = 1024, /* *name, and the same number of &name */
    SWI_CONFIG_SINKS = 64,     /* each has a thread */
    SWI_CONFIG_MISTAKES = 1000 /* the search ends after this many */
};

/* Returns whether the limit of mistakes is exceeded. Adds a last one that says so when it is
 * reached. */
static inline bool swi_enough_mistakes(struct swi_mistakes *mistakes, const struct swi_where *where)
{
    if (mistakes->count == SWI_CONFIG_MISTAKES)
        swi_mistakes_add(mistakes, where,
                         "too many mistakes: the rest of the file was not checked");
    return mistakes->count > SWI_CONFIG_MISTAKES;
}

/* ---- what values and keys mean: environment variables, tags, such as !!str, repeated keys ---- */

/* The result of expanding a text. */
struct swi_expansion {
    char *text;            /* freed by the caller; NULL if out of memory */
    bool from_environment; /* it contains a variable's value */
    bool wrong;            /* mistakes were added */
};

/* Replaces ${NAME}, ${NAME:-default} and $$ in text. The default is used if the variable is unset
 * or empty. In a setuid program every variable is unset. */
struct swi_expansion swi_expand(const char *text, const struct swi_where *where,
                                struct swi_mistakes *mistakes);

/* Keeps the first of equal keys and reports the others. Removes keys that are marked as wrong.
 * Returns false if out of memory. */
bool swi_repeated_keys_remove(struct swi_node *mapping, struct swi_mistakes *mistakes);

/* Reports a tag that does not fit the node, or is unknown. tag: may be NULL. */
void swi_tag_check(struct swi_node *node, const char *tag, struct swi_mistakes *mistakes);

/* Sets whether a text counts as quoted and as null. plain: it is written without quotes. */
void swi_tag_classify(struct swi_node *node, const char *tag, bool plain);

/* Adds the mistake at which libyaml stopped, in words that help to fix it. text: the whole file. */
struct yaml_parser_s;
void swi_syntax_mistake(const struct yaml_parser_s *parser, const char *text, size_t size,
                        const char *name, struct swi_mistakes *mistakes);

/* ---- reads and checks the bytes of a configuration before libyaml gets them ------------------ */

/* Reads a file, up to one byte more than the limit. named: the path was given by the user;
 * otherwise it must be a file that no other user may have put there. The caller frees text. Returns
 * 0, SW_EIO or SW_ENOMEM. */
int swi_source_read(const char *path, bool named, char **text, size_t *size, struct sw_error *err);

/* Returns whether text is within the size limit and is UTF-8 without control characters. If not,
 * adds a mistake. */
bool swi_source_check(const char *text, size_t size, const char *name,
                      struct swi_mistakes *mistakes);

#endif
