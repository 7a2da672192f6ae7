/* SPDX-License-Identifier: MIT */
#include "config/tree.h"

#include "config/expand.h"
#include "config/limits.h"
#include "config/syntax.h"
#include "core/shown.h"

#include <stdlib.h>
#include <string.h>
#include <yaml.h>

/* A name that an anchor gave a node. Anchors of a list or mapping are known once it is complete. */
struct anchor {
    struct anchor *next;
    char *name;
    struct swi_node *node;
    bool complete;
};

struct builder {
    yaml_parser_t parser;
    struct swi_tree *tree;
    const char *name;
    struct swi_mistakes *mistakes;
    struct anchor *anchors;
    int aliases;
    int depth;
    uint64_t nodes; /* so far, aliases counted as what they stand for */
    bool stop;      /* a mistake after which going on makes no sense */
    bool no_memory;
};

static struct swi_where where_of(const struct builder *b, const yaml_event_t *event)
{
    return (struct swi_where){.file = b->name,
                              .line = (int)event->start_mark.line + 1,
                              .column = (int)event->start_mark.column + 1};
}

static void stop_at(struct builder *b, const struct swi_where *where, const char *why)
{
    if (!b->stop)
        swi_mistakes_add(b->mistakes, where, "%s", why);
    b->stop = true;
}

static struct swi_node *node_new(struct builder *b, enum swi_node_kind kind,
                                 const yaml_event_t *event)
{
    struct swi_node *node = calloc(1, sizeof *node);
    if (!node) {
        b->no_memory = b->stop = true;
        return NULL;
    }
    *node = (struct swi_node){.kind = kind, .where = where_of(b, event), .nodes = 1};
    node->next = b->tree->all;
    b->tree->all = node;
    if (++b->nodes > SWI_CONFIG_NODES)
        stop_at(b, &node->where,
                "there are more than 100000 texts, lists and mappings: is it a configuration?");
    return node;
}

/* ---- anchors and aliases ------------------------------------------------------------------------
 */

static struct anchor *anchor_add(struct builder *b, const yaml_char_t *name, struct swi_node *node)
{
    struct anchor *anchor = name && node ? calloc(1, sizeof *anchor) : NULL;
    if (!anchor)
        return NULL;
    *anchor = (struct anchor){.next = b->anchors, .name = strdup((const char *)name), .node = node};
    b->anchors = anchor;
    if (++b->aliases > SWI_CONFIG_ALIASES)
        stop_at(b, &node->where, "there are more than 1024 anchors (&name) and aliases (*name)");
    return anchor;
}

static void anchor_complete(struct anchor *anchor)
{
    if (anchor)
        anchor->complete = true;
}

static struct swi_node *alias_node(struct builder *b, const yaml_event_t *event)
{
    struct swi_where where = where_of(b, event);
    const char *name = (const char *)event->data.alias.anchor;
    struct anchor *anchor = b->anchors;
    while (anchor && (!anchor->name || strcmp(anchor->name, name) != 0))
        anchor = anchor->next;
    if (!anchor) {
        swi_mistakes_add(b->mistakes, &where, "no &%s stands before this *%s", SWI_SHOWN(name),
                         SWI_SHOWN(name));
        b->stop = true;
        return NULL;
    }
    if (!anchor->complete)
        stop_at(b, &where, "an alias cannot stand for what it is itself a part of");
    b->nodes += anchor->node->nodes;
    if (++b->aliases > SWI_CONFIG_ALIASES)
        stop_at(b, &where, "there are more than 1024 anchors (&name) and aliases (*name)");
    if (b->nodes > SWI_CONFIG_NODES)
        stop_at(b, &where,
                "with its aliases put in there are more than 100000 texts, lists and mappings");
    return anchor->node;
}

/* ---- texts --------------------------------------------------------------------------------------
 */

static bool tag_is(const yaml_char_t *tag, const char *what)
{
    return tag && strcmp((const char *)tag, what) == 0;
}

static bool tag_known(const yaml_char_t *tag)
{
    static const char core[] = "tag:yaml.org,2002:";
    static const char *const names[] = {"str", "int", "float", "bool", "null", "seq", "map"};
    if (!tag || tag_is(tag, "!"))
        return true;
    if (strncmp((const char *)tag, core, sizeof core - 1) != 0)
        return false;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp((const char *)tag + sizeof core - 1, names[i]) == 0)
            return true;
    return false;
}

static void tag_check(struct builder *b, struct swi_node *node, const yaml_char_t *tag)
{
    if (tag_known(tag))
        return;
    swi_mistakes_add(b->mistakes, &node->where,
                     "the tag \"%s\" is not one of YAML's core schema: remove it",
                     SWI_SHOWN((const char *)tag));
    node->wrong = true;
}

static bool says_null(const char *text)
{
    return !*text || strcmp(text, "~") == 0 || strcmp(text, "null") == 0 ||
           strcmp(text, "Null") == 0 || strcmp(text, "NULL") == 0;
}

static void text_expand(struct builder *b, struct swi_node *node, bool is_key)
{
    if (is_key || !strchr(node->text, '$'))
        return;
    struct swi_expansion result = swi_expand(node->text, &node->where, b->mistakes);
    if (!result.text) {
        b->no_memory = b->stop = true;
        return;
    }
    node->written = node->text;
    node->text = result.text;
    node->from_environment = result.from_environment;
    node->wrong |= result.wrong;
}

static struct swi_node *text_node(struct builder *b, const yaml_event_t *event, bool is_key)
{
    struct swi_node *node = node_new(b, SWI_NODE_TEXT, event);
    if (!node)
        return NULL;
    const yaml_char_t *tag = event->data.scalar.tag;
    node->text = strdup((const char *)event->data.scalar.value);
    node->quoted = event->data.scalar.style != YAML_PLAIN_SCALAR_STYLE || tag_is(tag, "!") ||
                   tag_is(tag, "tag:yaml.org,2002:str");
    if (!node->text) {
        b->no_memory = b->stop = true;
        return NULL;
    }
    if (strlen(node->text) != event->data.scalar.length) {
        swi_mistakes_add(b->mistakes, &node->where, "a NUL character cannot be part of a text");
        node->wrong = true;
    }
    tag_check(b, node, tag);
    node->is_null = !node->quoted && says_null(node->text);
    text_expand(b, node, is_key);
    node->bytes = (uint32_t)strlen(node->text);
    anchor_complete(anchor_add(b, event->data.scalar.anchor, node));
    return node;
}

/* ---- lists and mappings -------------------------------------------------------------------------
 */

static struct swi_node *node_next(struct builder *b, bool is_key, bool *ended);

static void item_add(struct builder *b, struct swi_node *node, struct swi_node *key,
                     struct swi_node *value)
{
    struct swi_item *item = realloc(node->item, (node->count + 1) * sizeof *item);
    if (!item) {
        b->no_memory = b->stop = true;
        return;
    }
    node->item = item;
    item[node->count++] = (struct swi_item){.key = key, .value = value};
    node->nodes += value->nodes + (key ? key->nodes : 0);
}

static const struct swi_node *key_find(const struct swi_node *mapping, const char *name)
{
    for (size_t i = 0; i < mapping->count; i++)
        if (strcmp(mapping->item[i].key->text, name) == 0)
            return mapping->item[i].key;
    return NULL;
}

/* Whether a key can be taken into the mapping; says why not. */
static bool key_check(struct builder *b, const struct swi_node *mapping, const struct swi_node *key)
{
    if (key->kind != SWI_NODE_TEXT) {
        swi_mistakes_add(b->mistakes, &key->where, "a key must be a text, this is %s",
                         SWI_NODE_SHOWN(key));
        return false;
    }
    const struct swi_node *first = key_find(mapping, key->text);
    if (strcmp(key->text, "<<") == 0 && !key->quoted)
        swi_mistakes_add(b->mistakes, &key->where,
                         "merge keys (<<) are not supported: write the keys out");
    else if (first)
        swi_mistakes_add(b->mistakes, &key->where, "key %s stands twice, first in line %d",
                         SWI_NODE_SHOWN(key), first->where.line);
    else
        return true;
    return false;
}

static void mapping_fill(struct builder *b, struct swi_node *node)
{
    bool ended = false;
    while (!b->stop) {
        struct swi_node *key = node_next(b, true, &ended);
        if (ended || !key)
            return;
        struct swi_node *value = node_next(b, false, &ended);
        if (!value)
            return;
        if (key_check(b, node, key))
            item_add(b, node, key, value);
    }
}

static void list_fill(struct builder *b, struct swi_node *node)
{
    bool ended = false;
    while (!b->stop) {
        struct swi_node *value = node_next(b, false, &ended);
        if (ended || !value)
            return;
        item_add(b, node, NULL, value);
    }
}

static struct swi_node *group_node(struct builder *b, const yaml_event_t *event)
{
    bool list = event->type == YAML_SEQUENCE_START_EVENT;
    struct swi_node *node = node_new(b, list ? SWI_NODE_LIST : SWI_NODE_MAPPING, event);
    if (!node)
        return NULL;
    tag_check(b, node, list ? event->data.sequence_start.tag : event->data.mapping_start.tag);
    struct anchor *anchor = anchor_add(
        b, list ? event->data.sequence_start.anchor : event->data.mapping_start.anchor, node);
    if (++b->depth > SWI_CONFIG_DEPTH)
        stop_at(b, &node->where, "lists and mappings are nested more than 64 deep");
    else if (list)
        list_fill(b, node);
    else
        mapping_fill(b, node);
    b->depth--;
    anchor_complete(anchor);
    return node;
}

static bool event_next(struct builder *b, yaml_event_t *event, const char *text, size_t size)
{
    if (yaml_parser_parse(&b->parser, event))
        return true;
    if (b->parser.error == YAML_MEMORY_ERROR)
        b->no_memory = true;
    else if (!b->stop)
        swi_syntax_mistake(&b->parser, text, size, b->name, b->mistakes);
    b->stop = true;
    return false;
}

/* The next node; ended: it is the end of the list or mapping instead. */
static struct swi_node *node_next(struct builder *b, bool is_key, bool *ended)
{
    yaml_event_t event;
    struct swi_node *node = NULL;
    *ended = false;
    if (b->stop || !event_next(b, &event, (const char *)b->parser.input.string.start,
                               (size_t)(b->parser.input.string.end - b->parser.input.string.start)))
        return NULL;
    switch (event.type) {
    case YAML_SCALAR_EVENT:
        node = text_node(b, &event, is_key);
        break;
    case YAML_ALIAS_EVENT:
        node = alias_node(b, &event);
        break;
    case YAML_SEQUENCE_START_EVENT:
    case YAML_MAPPING_START_EVENT:
        node = group_node(b, &event);
        break;
    default:
        *ended = true;
    }
    yaml_event_delete(&event);
    return node;
}

/* ---- the document -------------------------------------------------------------------------------
 */

/* The events around the one document; false at the end or where parsing stopped. */
static bool document_begins(struct builder *b, const char *text, size_t size)
{
    yaml_event_t event;
    for (;;) {
        if (b->stop || !event_next(b, &event, text, size))
            return false;
        yaml_event_type_t type = event.type;
        struct swi_where where = where_of(b, &event);
        yaml_event_delete(&event);
        if (type == YAML_DOCUMENT_START_EVENT && b->tree->root)
            stop_at(b, &where, "a second document begins here: a configuration is one document");
        else if (type == YAML_DOCUMENT_START_EVENT)
            return true;
        else if (type == YAML_STREAM_END_EVENT)
            return false;
    }
}

static void builder_run(struct builder *b, const char *text, size_t size)
{
    bool ended;
    yaml_parser_set_encoding(&b->parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&b->parser, (const unsigned char *)text, size);
    while (document_begins(b, text, size))
        b->tree->root = node_next(b, false, &ended);
}

int swi_tree_parse(struct swi_tree *tree, const char *text, size_t size, const char *name,
                   struct swi_mistakes *mistakes, struct sw_error *err)
{
    struct builder b = {.tree = tree, .name = name, .mistakes = mistakes};
    *tree = (struct swi_tree){0};
    if (!yaml_parser_initialize(&b.parser))
        return sw_error_set(err, SW_ENOMEM, "%s: no memory to read it", name);
    builder_run(&b, text, size);
    yaml_parser_delete(&b.parser);
    for (struct anchor *anchor = b.anchors, *next; anchor; anchor = next) {
        next = anchor->next;
        free(anchor->name);
        free(anchor);
    }
    if (b.no_memory)
        return sw_error_set(err, SW_ENOMEM, "%s: no memory to read it", name);
    return b.stop ? SW_ECONFIG : 0;
}

void swi_tree_fini(struct swi_tree *tree)
{
    for (struct swi_node *node = tree->all, *next; node; node = next) {
        next = node->next;
        free(node->text);
        free(node->written);
        free(node->item);
        free(node);
    }
    *tree = (struct swi_tree){0};
}

const char *swi_node_show(char *buffer, size_t size, const struct swi_node *node)
{
    char shown[80];
    if (node->kind == SWI_NODE_LIST)
        return "a list";
    if (node->kind == SWI_NODE_MAPPING)
        return "a mapping";
    if (node->is_null)
        return "nothing";
    /* As written: a variable's value may be a secret. */
    swi_show(shown, sizeof shown, node->written ? node->written : node->text);
    snprintf(buffer, size, "\"%s\"", shown);
    return buffer;
}
