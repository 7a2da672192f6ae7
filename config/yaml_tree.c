/* SPDX-License-Identifier: MIT */
#include "config/yaml_tree.h"

#include "core/files/own_symbols.h"
#include "core/text/printable.h"
#include "core/text/vec.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

struct anchor {
    char *name;
    struct swi_node *node;
    bool open; /* its node is still being parsed: an alias to it would contain itself */
};

struct parser {
    yaml_parser_t yaml;
    struct swi_tree *tree;
    const char *text;
    size_t size;
    const char *name;
    struct swi_mistakes *mistakes;
    int rc; /* why the parsing ended: SW_ECONFIG (a mistake was added) or SW_ENOMEM */
    size_t depth;
    size_t nodes; /* so far, after aliases are expanded */
    size_t bytes;
    size_t aliases;
    size_t anchor_count;
    struct anchor anchor[SWI_CONFIG_ALIASES];
};

static struct swi_node *parse_node(struct parser *p, const yaml_event_t *event, bool is_key);

/* ---- ends of parsing ---- */

static struct swi_where where_of(const struct parser *p, const yaml_mark_t *mark)
{
    return (struct swi_where){
        .file = p->name, .line = (int)mark->line + 1, .column = (int)mark->column + 1};
}

static void *no_memory(struct parser *p)
{
    p->rc = SW_ENOMEM;
    return NULL;
}

/* Ends the parsing because a limit is exceeded. The rest is not read. */
static void *end_at(struct parser *p, const yaml_mark_t *mark, const char *sentence)
{
    struct swi_where where = where_of(p, mark);
    swi_mistakes_add(p->mistakes, &where, "%s", sentence);
    p->rc = SW_ECONFIG;
    return NULL;
}

/* Adds a node to the totals and checks the limits. */
static bool count_in(struct parser *p, const yaml_mark_t *mark, size_t nodes, size_t bytes)
{
    struct swi_where where = where_of(p, mark);
    if (swi_enough_mistakes(p->mistakes, &where))
        p->rc = SW_ECONFIG;
    p->nodes += nodes;
    p->bytes += bytes;
    if (p->nodes > SWI_CONFIG_NODES)
        end_at(p, mark, "more than 100000 texts, lists and mappings, including those of aliases");
    else if (p->bytes > SWI_CONFIG_BYTES)
        end_at(p, mark, "more than 1 MiB of text, including that of aliases and ${...}");
    return p->rc == 0;
}

/* Gets the next event, which must be freed with yaml_event_delete(). Returns false at the end of
 * the parsing. */
static bool next_event(struct parser *p, yaml_event_t *event)
{
    if (p->rc < 0)
        return false;
    if (yaml_parser_parse(&p->yaml, event))
        return true;
    p->rc = p->yaml.error == YAML_MEMORY_ERROR ? SW_ENOMEM : SW_ECONFIG;
    if (p->rc == SW_ECONFIG)
        swi_syntax_mistake(&p->yaml, p->text, p->size, p->name, p->mistakes);
    return false;
}

/* ---- nodes ---- */

static struct swi_node *node_new(struct parser *p, enum swi_node_kind kind, const yaml_mark_t *mark)
{
    struct swi_node *node = calloc(1, sizeof *node);
    if (!node)
        return no_memory(p);
    node->kind = kind;
    node->where = where_of(p, mark);
    node->next = p->tree->all;
    p->tree->all = node;
    return node;
}

static bool item_add(struct parser *p, struct swi_node *node, struct swi_item item)
{
    if (!swi_vec_room(&node->item, node->count, sizeof item)) {
        p->rc = SW_ENOMEM;
        return false;
    }
    node->item[node->count++] = item;
    if (node->height <= item.value->height)
        node->height = (uint8_t)(item.value->height + 1);
    return true;
}

/* Replaces variables of the environment. The text in the file is kept for messages. */
static void expand(struct parser *p, struct swi_node *node)
{
    struct swi_expansion expansion = swi_expand(node->text, &node->where, p->mistakes);
    if (!expansion.text) {
        p->rc = SW_ENOMEM;
        return;
    }
    node->written = node->text;
    node->text = expansion.text;
    node->from_environment = expansion.from_environment;
    node->wrong = node->wrong || expansion.wrong;
}

static struct swi_node *parse_text(struct parser *p, const yaml_event_t *event, bool is_key)
{
    const char *value = (const char *)event->data.scalar.value;
    size_t length = event->data.scalar.length;
    struct swi_node *node = node_new(p, SWI_NODE_TEXT, &event->start_mark);
    if (!node)
        return NULL;
    node->text = strndup(value, length);
    if (!node->text)
        return no_memory(p);
    if (strlen(node->text) != length) {
        node->wrong = true;
        swi_mistakes_add(p->mistakes, &node->where, "text cannot contain a NUL character");
    }
    const char *tag = (const char *)event->data.scalar.tag;
    swi_tag_check(node, tag, p->mistakes);
    swi_tag_classify(node, tag, event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE);
    if (!is_key && strchr(node->text, '$'))
        expand(p, node);
    if (p->rc < 0 || !count_in(p, &event->start_mark, 1, strlen(node->text)))
        return NULL;
    return node;
}

/* ---- anchors and aliases ---- */

/* Remembers the node of &name. name may be NULL. A later anchor replaces an earlier one of the same
 * name. */
static struct anchor *anchor_add(struct parser *p, const yaml_char_t *name, struct swi_node *node,
                                 const yaml_mark_t *mark)
{
    if (!name || p->rc < 0)
        return NULL;
    if (p->anchor_count == SWI_CONFIG_ALIASES)
        return end_at(p, mark, "more than 1024 anchors (&name)");
    struct anchor *anchor = &p->anchor[p->anchor_count];
    anchor->name = strdup((const char *)name);
    if (!anchor->name)
        return no_memory(p);
    anchor->node = node;
    anchor->open = node->kind != SWI_NODE_TEXT;
    p->anchor_count++;
    return anchor;
}

static const struct anchor *anchor_find(const struct parser *p, const char *name)
{
    for (size_t i = p->anchor_count; i-- > 0;)
        if (strcmp(p->anchor[i].name, name) == 0)
            return &p->anchor[i];
    return NULL;
}

/* Makes a node in place of an alias that refers to nothing. */
static struct swi_node *no_target(struct parser *p, const yaml_event_t *event, const char *sentence)
{
    struct swi_node *node = node_new(p, SWI_NODE_TEXT, &event->start_mark);
    if (!node)
        return NULL;
    node->wrong = true;
    node->text = strdup("");
    swi_mistakes_add(p->mistakes, &node->where, "the alias *%s %s",
                     SWI_PRINTABLE((const char *)event->data.alias.anchor), sentence);
    return node->text ? node : no_memory(p);
}

static struct swi_node *parse_alias(struct parser *p, const yaml_event_t *event)
{
    const struct anchor *anchor = anchor_find(p, (const char *)event->data.alias.anchor);
    if (++p->aliases > SWI_CONFIG_ALIASES)
        return end_at(p, &event->start_mark, "more than 1024 aliases (*name)");
    if (!anchor)
        return no_target(p, event, "refers to nothing: no such anchor comes before it");
    if (anchor->open)
        return no_target(p, event, "is within the value that it refers to");
    if (p->depth + anchor->node->height > SWI_CONFIG_DEPTH)
        return end_at(p, &event->start_mark, "lists and mappings are nested more than 64 deep");
    return count_in(p, &event->start_mark, anchor->node->nodes, anchor->node->bytes) ? anchor->node
                                                                                     : NULL;
}

/* ---- keys ---- */

static void refuse_key(struct parser *p, struct swi_node *key, const char *sentence)
{
    key->wrong = true;
    swi_mistakes_add(p->mistakes, &key->where, "%s", sentence);
}

/* Parses a key. A key that is not text is reported and left out. */
static struct swi_node *parse_key(struct parser *p, const yaml_event_t *event)
{
    static const char not_text[] = "a key must be text, not a list, a mapping or an alias";
    struct swi_node *key = NULL;
    if (event->type == YAML_SCALAR_EVENT) {
        key = parse_node(p, event, true);
        if (key && strcmp(key->text, "<<") == 0 && !key->quoted)
            refuse_key(p, key, "merge keys (<<) are not supported: write the keys out");
        return key;
    }
    if (event->type != YAML_ALIAS_EVENT && !parse_node(p, event, true))
        return NULL;
    key = node_new(p, SWI_NODE_TEXT, &event->start_mark);
    if (!key)
        return NULL;
    key->text = strdup("");
    if (!key->text)
        return no_memory(p);
    refuse_key(p, key, not_text);
    return key;
}

/* ---- lists and mappings ---- */

static bool parse_entry(struct parser *p, struct swi_node *node, const yaml_event_t *event)
{
    struct swi_item item = {NULL, NULL};
    yaml_event_t value;
    if (node->kind == SWI_NODE_LIST) {
        item.value = parse_node(p, event, false);
        return item.value && item_add(p, node, item);
    }
    item.key = parse_key(p, event);
    if (!item.key || !next_event(p, &value))
        return false;
    item.value = parse_node(p, &value, false);
    yaml_event_delete(&value);
    return item.value && item_add(p, node, item);
}

static void parse_entries(struct parser *p, struct swi_node *node)
{
    bool more = true;
    yaml_event_t event;
    while (more && next_event(p, &event)) {
        more = event.type != YAML_SEQUENCE_END_EVENT && event.type != YAML_MAPPING_END_EVENT;
        if (more)
            more = parse_entry(p, node, &event);
        yaml_event_delete(&event);
    }
}

static struct swi_node *parse_collection(struct parser *p, const yaml_event_t *event,
                                         enum swi_node_kind kind, const yaml_char_t *tag,
                                         const yaml_char_t *anchor_name)
{
    if (p->depth == SWI_CONFIG_DEPTH)
        return end_at(p, &event->start_mark, "lists and mappings are nested more than 64 deep");
    size_t nodes = p->nodes, bytes = p->bytes;
    struct swi_node *node = node_new(p, kind, &event->start_mark);
    if (!node || !count_in(p, &event->start_mark, 1, 0))
        return NULL;
    node->height = 1;
    swi_tag_check(node, (const char *)tag, p->mistakes);
    struct anchor *anchor = anchor_add(p, anchor_name, node, &event->start_mark);
    p->depth++;
    parse_entries(p, node);
    p->depth--;
    if (p->rc == 0 && kind == SWI_NODE_MAPPING && !swi_repeated_keys_remove(node, p->mistakes))
        p->rc = SW_ENOMEM;
    if (anchor)
        anchor->open = false;
    node->nodes = (uint32_t)(p->nodes - nodes);
    node->bytes = (uint32_t)(p->bytes - bytes);
    return p->rc < 0 ? NULL : node;
}

static struct swi_node *parse_anchored_text(struct parser *p, const yaml_event_t *event,
                                            bool is_key)
{
    struct swi_node *node = parse_text(p, event, is_key);
    if (!node)
        return NULL;
    node->nodes = 1;
    node->bytes = (uint32_t)strlen(node->text);
    anchor_add(p, event->data.scalar.anchor, node, &event->start_mark);
    return p->rc < 0 ? NULL : node;
}

static struct swi_node *parse_node(struct parser *p, const yaml_event_t *event, bool is_key)
{
    switch (event->type) {
    case YAML_SCALAR_EVENT:
        return parse_anchored_text(p, event, is_key);
    case YAML_SEQUENCE_START_EVENT:
        return parse_collection(p, event, SWI_NODE_LIST, event->data.sequence_start.tag,
                                event->data.sequence_start.anchor);
    case YAML_MAPPING_START_EVENT:
        return parse_collection(p, event, SWI_NODE_MAPPING, event->data.mapping_start.tag,
                                event->data.mapping_start.anchor);
    case YAML_ALIAS_EVENT:
        return parse_alias(p, event);
    default:
        return end_at(p, &event->start_mark, "this is not YAML: expected a value");
    }
}

/* ---- the document ---- */

/* Handles an event outside of nodes: the begin and end of the stream and of documents. */
static void parse_outermost(struct parser *p, const yaml_event_t *event, size_t *documents)
{
    if (event->type == YAML_DOCUMENT_START_EVENT && ++*documents > 1)
        end_at(p, &event->start_mark,
               "a second document begins here, but a configuration is a single document: remove "
               "the \"---\"");
    bool outside = event->type == YAML_STREAM_START_EVENT || event->type == YAML_STREAM_END_EVENT ||
                   event->type == YAML_DOCUMENT_START_EVENT ||
                   event->type == YAML_DOCUMENT_END_EVENT;
    if (!outside)
        p->tree->root = parse_node(p, event, false);
}

static void parse_stream(struct parser *p)
{
    size_t documents = 0;
    bool more = true;
    yaml_event_t event;
    while (more && next_event(p, &event)) {
        parse_outermost(p, &event, &documents);
        more = event.type != YAML_STREAM_END_EVENT;
        yaml_event_delete(&event);
    }
}

int swi_tree_parse(struct swi_tree *tree, const char *text, size_t size, const char *name,
                   struct swi_mistakes *mistakes, struct sw_error *err)
{
    *tree = (struct swi_tree){0};
    int rc = swi_own_symbols_here(err);
    if (rc < 0)
        return sw_error_prefix(err, "%s: cannot be read", name);
    /* A byte order mark does not count as a character of the first line. */
    size_t mark = size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    struct parser *p = calloc(1, sizeof *p);
    if (!p || !yaml_parser_initialize(&p->yaml)) {
        free(p);
        return sw_error_set(err, SW_ENOMEM, "%s: out of memory", name);
    }
    p->tree = tree;
    p->text = text + mark;
    p->size = size - mark;
    p->name = name;
    p->mistakes = mistakes;
    yaml_parser_set_encoding(&p->yaml, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&p->yaml, (const unsigned char *)p->text, p->size);
    parse_stream(p);
    rc = p->rc;
    yaml_parser_delete(&p->yaml);
    for (size_t i = 0; i < p->anchor_count; i++)
        free(p->anchor[i].name);
    free(p);
    return rc < 0 ? sw_error_set(err, rc, "%s: %s", name, rc == SW_ENOMEM ? "out of memory" : "")
                  : 0;
}

void swi_tree_fini(struct swi_tree *tree)
{
    while (tree->all) {
        struct swi_node *node = tree->all;
        tree->all = node->next;
        free(node->text);
        free(node->written);
        free(node->item);
        free(node);
    }
    tree->root = NULL;
}
