/* SPDX-License-Identifier: MIT */
#include "config/config.h"

#include "config/profiler_keys.h"
#include "config/yaml_tree.h"
#include "core/plugins/kind.h"
#include "core/text/printable.h"
#include "core/text/vec.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- options of other sizes ---- */

/* The sizes of the first version. */
#define OPTIONS_LEAST (offsetof(struct sw_options, ranks) + sizeof(int64_t))
#define SINK_LEAST (offsetof(struct sw_sink_options, options) + sizeof(char **))
enum { SIZE_MOST = 4096 };

int swi_program_options_take(struct sw_options *own, const struct sw_options *options,
                             struct sw_error *err)
{
    *own = (struct sw_options){0};
    if (options->size < OPTIONS_LEAST || options->size > SIZE_MOST ||
        options->sink_size < SINK_LEAST || options->sink_size > SIZE_MOST)
        return sw_error_set(err, SW_EINVAL,
                            "sw_open_options: the sizes in struct sw_options are not set: call "
                            "sw_options_init() first");
    if (swi_sized_copy(own, sizeof *own, options, options->size))
        return 0;
    return sw_error_set(err, SW_EINVAL,
                        "sw_open_options: struct sw_options has fields that stepwatch %s does not "
                        "know: the program needs a newer stepwatch",
                        sw_version());
}

/* ---- making a tree ---- */

struct builder {
    struct swi_tree *tree;
    struct swi_settings *settings; /* owns the names of places */
    struct swi_mistakes *mistakes;
    const struct swi_node *profiler; /* `monitors` stands beside it */
    bool no_memory;
};

static void *checked(struct builder *b, void *memory)
{
    b->no_memory = b->no_memory || !memory;
    return memory;
}

/* Returns a place with this name; "" if out of memory. */
__attribute__((format(printf, 2, 3))) static struct swi_where where_new(struct builder *b,
                                                                        const char *format, ...)
{
    struct swi_settings *settings = b->settings;
    char *text = NULL;
    va_list args;
    va_start(args, format);
    if (!swi_vec_room(&settings->place, settings->place_count, sizeof *settings->place) ||
        vasprintf(&text, format, args) < 0)
        text = checked(b, NULL);
    else
        settings->place[settings->place_count++] = text;
    va_end(args);
    return (struct swi_where){.file = text ? text : ""};
}

static struct swi_node *node_new(struct builder *b, enum swi_node_kind kind, struct swi_where where)
{
    struct swi_node *node = checked(b, calloc(1, sizeof *node));
    if (!node)
        return NULL;
    node->kind = kind;
    node->where = where;
    node->quoted = node->from_program = true;
    node->next = b->tree->all;
    b->tree->all = node;
    return node;
}

static struct swi_node *text_new(struct builder *b, const char *text, size_t length,
                                 struct swi_where where)
{
    struct swi_node *node = node_new(b, SWI_NODE_TEXT, where);
    if (node)
        node->text = checked(b, strndup(text, length));
    return node && node->text ? node : NULL;
}

/* key: NULL for a list. Nodes are left out if memory runs out. */
static void item_add(struct builder *b, struct swi_node *node, struct swi_node *key,
                     struct swi_node *value)
{
    if (!swi_vec_room(&node->item, node->count, sizeof *node->item))
        checked(b, NULL);
    else if (value && (key || node->kind == SWI_NODE_LIST))
        node->item[node->count++] = (struct swi_item){key, value};
}

static void entry_add(struct builder *b, struct swi_node *mapping, const char *key,
                      struct swi_node *value, struct swi_where where)
{
    item_add(b, mapping, text_new(b, key, strlen(key), where), value);
}

static void text_add(struct builder *b, struct swi_node *mapping, const char *key,
                     const char *value, struct swi_where where)
{
    entry_add(b, mapping, key, text_new(b, value, strlen(value), where), where);
}

/* ---- keys and values ---- */

static struct swi_node **entry_find(const struct swi_node *mapping, const char *key, size_t length)
{
    for (size_t i = 0; i < mapping->count; i++)
        if (strlen(mapping->item[i].key->text) == length &&
            memcmp(mapping->item[i].key->text, key, length) == 0)
            return &mapping->item[i].value;
    return NULL;
}

/* Collects the values of a repeated key in a list. */
static void value_repeat(struct builder *b, struct swi_node **entry, struct swi_node *value)
{
    struct swi_node *list = *entry;
    if (list->kind == SWI_NODE_TEXT) {
        list = node_new(b, SWI_NODE_LIST, value->where);
        if (!list)
            return;
        list->repeats_key = true;
        item_add(b, list, NULL, *entry);
        *entry = list;
    }
    item_add(b, list, NULL, value);
}

static void value_add(struct builder *b, struct swi_node *mapping, const char *key, size_t length,
                      struct swi_node *value)
{
    struct swi_node **entry = entry_find(mapping, key, length);
    if (!entry)
        item_add(b, mapping, text_new(b, key, length, value->where), value);
    else if ((*entry)->kind == SWI_NODE_MAPPING || value->kind == SWI_NODE_MAPPING)
        swi_mistakes_add(b->mistakes, &value->where,
                         "%.*s is given as one value and as a mapping: remove one of them",
                         (int)length, key);
    else
        value_repeat(b, entry, value);
}

/* Returns the mapping for an entry like "labels.job"; NULL if `labels` is something else. */
static struct swi_node *mapping_within(struct builder *b, struct swi_node *mapping, const char *key,
                                       size_t length, struct swi_where where)
{
    struct swi_node **entry = entry_find(mapping, key, length);
    if (entry && (*entry)->kind == SWI_NODE_MAPPING)
        return *entry;
    struct swi_node *within = node_new(b, SWI_NODE_MAPPING, where);
    if (within)
        value_add(b, mapping, key, length, within);
    return entry ? NULL : within;
}

/* levels: how many parts of the key before its last one may name mappings. */
static void pair_put(struct builder *b, struct swi_node *mapping, const char *key, int levels,
                     struct swi_node *text)
{
    const char *dot = levels ? strchr(key, '.') : NULL;
    if (!dot) {
        value_add(b, mapping, key, strlen(key), text);
        return;
    }
    struct swi_node *within = mapping_within(b, mapping, key, (size_t)(dot - key), text->where);
    if (within)
        pair_put(b, within, dot + 1, levels - 1, text);
}

static bool is_of_monitors(const char *key)
{
    size_t length = strcspn(key, ".");
    return length == strlen("monitors") && memcmp(key, "monitors", length) == 0;
}

static void pair_add(struct builder *b, struct swi_node *mapping, const char *prefix,
                     const char *key, const char *value)
{
    struct swi_where where = where_new(b, "%s.%s", prefix, key);
    struct swi_node *text = text_new(b, value, strlen(value), where);
    if (!text)
        return;
    if (mapping == b->profiler && is_of_monitors(key))
        pair_put(b, b->tree->root, key, 2, text);
    else
        pair_put(b, mapping, key, 1, text);
}

/* prefix: the place of the pairs. */
static void pairs_add(struct builder *b, struct swi_node *mapping, const char *prefix,
                      const char *const *pair)
{
    for (; pair && pair[0]; pair += 2) {
        if (!pair[1]) {
            struct swi_where where = where_new(b, "%s.%s", prefix, pair[0]);
            swi_mistakes_add(b->mistakes, &where,
                             "found no value: expected keys and values in turn, then NULL");
            return;
        }
        if (swi_enough_mistakes(b->mistakes, &(struct swi_where){.file = prefix}))
            return;
        pair_add(b, mapping, prefix, pair[0], pair[1]);
    }
}

/* ---- the parts ---- */

static void profiler_add(struct builder *b, struct swi_node *root, const struct sw_options *options)
{
    struct swi_where where = where_new(b, "options");
    struct swi_node *profiler = node_new(b, SWI_NODE_MAPPING, where);
    if (!profiler)
        return;
    entry_add(b, root, "profiler", profiler, where);
    b->profiler = profiler;
    pairs_add(b, profiler, "options", options->options);
    const char *mode = swi_profiler_keys_mode_name(options->mode);
    if (!mode)
        swi_mistakes_add(
            b->mistakes, &(struct swi_where){.file = "mode"},
            "%d is not a mode: expected SW_MODE_THROUGHPUT, SW_MODE_SIMPLE or SW_MODE_OFF",
            (int)options->mode);
    else if (options->mode != SW_MODE_THROUGHPUT && !entry_find(profiler, "mode", strlen("mode")))
        text_add(b, profiler, "mode", mode, where_new(b, "mode"));
}

static void sink_add(struct builder *b, struct swi_node *list, size_t i,
                     const struct sw_sink_options *sink)
{
    struct swi_where where = where_new(b, "sinks[%zu]", i);
    if (!sink->name) {
        swi_mistakes_add(b->mistakes, &where, "its name is NULL: expected the name of a sink");
        return;
    }
    struct swi_node *entry = node_new(b, SWI_NODE_MAPPING, where);
    struct swi_node *options = node_new(b, SWI_NODE_MAPPING, where);
    if (!entry || !options)
        return;
    entry_add(b, entry, sink->name, options, where);
    pairs_add(b, options, where.file, sink->options);
    item_add(b, list, NULL, entry);
}

/* The distance between elements is the size in the program's header. */
static void sinks_add(struct builder *b, struct swi_node *root, const struct sw_options *options)
{
    struct swi_where where = where_new(b, "sinks");
    struct swi_node *list = node_new(b, SWI_NODE_LIST, where);
    if (list && !options->sinks && options->sink_count)
        swi_mistakes_add(b->mistakes, &where, "is NULL, and sink_count is %zu",
                         options->sink_count);
    if (!list || !options->sinks)
        return;
    entry_add(b, root, "logger_callback", list, where);
    for (size_t i = 0; i < options->sink_count && i <= SWI_CONFIG_SINKS; i++) {
        struct sw_sink_options sink = {0};
        const char *from = (const char *)options->sinks + i * options->sink_size;
        if (swi_sized_copy(&sink, sizeof sink, from, options->sink_size))
            sink_add(b, list, i, &sink);
        else
            swi_mistakes_add(b->mistakes, &where,
                             "element %zu has fields that stepwatch %s does not know: the program "
                             "needs a newer stepwatch",
                             i, sw_version());
    }
}

static void paths_add(struct builder *b, struct swi_node *root, const char *const *path)
{
    struct swi_where where = where_new(b, "plugin_path");
    struct swi_node *list = node_new(b, SWI_NODE_LIST, where);
    if (!list || !path)
        return;
    entry_add(b, root, "plugin_path", list, where);
    for (size_t i = 0; path[i]; i++)
        item_add(b, list, NULL,
                 text_new(b, path[i], strlen(path[i]), where_new(b, "plugin_path[%zu]", i)));
}

static void number_add(struct builder *b, struct swi_node *mapping, const char *file,
                       const char *key, int64_t number)
{
    char text[32];
    snprintf(text, sizeof text, "%lld", (long long)number);
    text_add(b, mapping, key, text, (struct swi_where){.file = file});
}

static void ranks_add(struct builder *b, struct swi_node *root, const struct sw_options *options)
{
    struct swi_where where = {.file = "ranks"};
    struct swi_node *ranks = node_new(b, SWI_NODE_MAPPING, where);
    if (!ranks || (!options->ranks && !options->rank))
        return;
    entry_add(b, root, "ranks", ranks, where);
    number_add(b, ranks, "rank", "rank", options->rank);
    number_add(b, ranks, "ranks", "size", options->ranks);
}

int swi_program_options_tree(struct swi_tree *tree, const struct sw_options *own,
                             struct swi_settings *settings, struct swi_mistakes *mistakes)
{
    *tree = (struct swi_tree){0};
    struct builder b = {.tree = tree, .settings = settings, .mistakes = mistakes};
    tree->root = node_new(&b, SWI_NODE_MAPPING, (struct swi_where){.file = "sw_open_options"});
    if (!tree->root)
        return SW_ENOMEM;
    if (own->name)
        text_add(&b, tree->root, "name", own->name, where_new(&b, "name"));
    profiler_add(&b, tree->root, own);
    sinks_add(&b, tree->root, own);
    paths_add(&b, tree->root, own->plugin_path);
    ranks_add(&b, tree->root, own);
    return b.no_memory ? SW_ENOMEM : 0;
}
