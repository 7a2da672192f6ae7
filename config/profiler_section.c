/* SPDX-License-Identifier: MIT */
#include "config/profiler_keys.h"
#include "config/yaml_reader.h"
#include "core/plugins/option_parse.h"
#include "core/text/names.h"
#include "core/text/path_text.h"
#include "core/text/printable.h"

#include <stepwatch/inspect.h>

#include <stdlib.h>
#include <string.h>

/* Reports what is wrong with a value: "profiler: KEY: VALUE CLAUSE". */
static void refuse(struct swi_yaml_reader *reading, const char *key, const struct swi_node *value,
                   const char *clause)
{
    SWI_NODE_MISTAKE(reading, value, "profiler: %s: %s %s", key, SWI_NODE_SHOWN(value), clause);
}

static void refuse_mode(struct swi_yaml_reader *reading, const struct swi_node *value)
{
    const char *names[SWI_MODES + 1] = {[SWI_MODES] = SWI_ADVANCED};
    for (int i = 0; i < SWI_MODES; i++)
        names[i] = swi_profiler_keys_mode_name((enum sw_mode)i);
    const char *nearest = swi_nearest(value->text, names, SWI_MODES + 1);
    if (strncmp(value->text, "mode:", 5) == 0) {
        SWI_NODE_MISTAKE(reading, value,
                         "profiler: %s is not a mode: did you mean \"mode: %s\" (with a space)?",
                         SWI_NODE_SHOWN(value), SWI_PRINTABLE(value->text + 5));
        return;
    }
    SWI_NODE_MISTAKE(reading, value,
                     "profiler: %s is not a mode: %s%s%s throughput, simple, advanced and off",
                     SWI_NODE_SHOWN(value), nearest ? "did you mean " : "", nearest ? nearest : "",
                     nearest ? "? The modes are" : "the modes are");
}

static void read_value(struct swi_yaml_reader *reading, const struct sw_option *row,
                       const struct swi_node *value)
{
    struct swi_profiler_keys *keys = &reading->config->keys;
    union swi_value parsed;
    SW_ERROR_SCOPE(err);
    bool is_path = row->type == SW_OPTION_PATH;
    char *text =
        is_path ? swi_path_text_expand(value->text, secure_getenv("HOME")) : strdup(value->text);
    if (!text)
        reading->no_memory = true;
    else if (is_path && !*text)
        refuse(reading, row->name, value, "is empty: expected a file name");
    else if (swi_option_parse(row, text, &parsed, &err) == 0)
        reading->no_memory = !swi_profiler_keys_store(keys, row, &parsed) || reading->no_memory;
    else if (row->type == SW_OPTION_CHOICE)
        refuse_mode(reading, value);
    else
        refuse(reading, row->name, value, sw_error_text(&err));
    free(text);
}

/* Reads the name of an action into *list, which must have room. */
static void read_name(struct swi_yaml_reader *reading, const struct sw_option *row,
                      const struct swi_node *value, char **list)
{
    if (value->wrong)
        return;
    if (value->kind != SWI_NODE_TEXT || value->is_null || !*value->text)
        refuse(reading, row->name, value, "is not the name of an action");
    else if (!(*list = swi_yaml_reader_copy(reading, value->text)))
        reading->no_memory = true;
}

/* Reads a list of names, or one name. It replaces the list before. */
static void read_names(struct swi_yaml_reader *reading, const struct sw_option *row,
                       const struct swi_node *value)
{
    struct swi_profiler_keys *keys = &reading->config->keys;
    size_t count = value->kind == SWI_NODE_LIST ? value->count : 1;
    char **list = calloc(count + 1, sizeof *list), **end = list;
    swi_profiler_keys_free_list(keys->wait);
    keys->wait = list;
    if (!list)
        reading->no_memory = true;
    for (size_t i = 0; list && i < count; i++) {
        read_name(reading, row, value->kind == SWI_NODE_LIST ? value->item[i].value : value, end);
        end += *end != NULL;
    }
}

static void read_row(struct swi_yaml_reader *reading, enum swi_key key,
                     const struct swi_node *value)
{
    static const char *const expected[] = {
        [SW_OPTION_CHOICE] = SWI_MODE_NAMES,
        [SW_OPTION_BOOL] = "true or false",
        [SW_OPTION_INT] = "a number",
        [SW_OPTION_DURATION] = "a duration, like 250ms or 5s",
        [SW_OPTION_PATH] = "text",
        [SW_OPTION_LIST] = "a list of names",
        [SW_OPTION_SIZE] = "a size, like 64MiB",
    };
    static void (*const readers[SWI_KEYS])(struct swi_yaml_reader *, const struct swi_node *) = {
        [SWI_KEY_SCHEDULE] = swi_schedule_read, [SWI_KEY_CAPTURE] = swi_capture_read,
        [SWI_KEY_COUNTERS] = swi_counters_read, [SWI_KEY_PEAK_FLOPS] = swi_peak_flops_read,
        [SWI_KEY_WATCHDOG] = swi_watchdog_read, [SWI_KEY_FUNCTIONS] = swi_functions_read,
    };
    const struct sw_option *row = &sw_profiler_options()[key];
    struct swi_profiler_keys *keys = &reading->config->keys;
    if (value->wrong || value->is_null)
        return;
    keys->given[key].given = true;
    keys->given[key].from_environment = value->from_environment;
    keys->given[key].where = value->where;
    if (readers[key])
        readers[key](reading, value);
    else if (row->type == SW_OPTION_LIST && value->kind != SWI_NODE_MAPPING)
        read_names(reading, row, value);
    else if (value->kind == SWI_NODE_TEXT)
        read_value(reading, row, value);
    else if (value->repeats_key)
        SWI_NODE_MISTAKE(reading, value, "profiler: %s: is given more than once", row->name);
    else
        SWI_NODE_MISTAKE(reading, value, "profiler: %s: found %s, expected %s", row->name,
                         SWI_NODE_FOUND(value), expected[row->type]);
}

static void unknown_key(struct swi_yaml_reader *reading, const struct swi_node *key)
{
    static const char *const mode_hints[SWI_MODES] = {"write mode: throughput",
                                                      "write mode: simple", "write mode: off"};
    const char *names[SWI_KEYS], *hint = NULL;
    for (int i = 0; i < SWI_KEYS; i++)
        names[i] = sw_profiler_options()[i].name;
    for (int i = 0; i < SWI_MODES; i++)
        if (strcmp(key->text, swi_profiler_keys_mode_name((enum sw_mode)i)) == 0)
            hint = mode_hints[i];
    if (strcmp(key->text, "logger_callback") == 0 || strcmp(key->text, "plugin_path") == 0 ||
        strcmp(key->text, "name") == 0 || strcmp(key->text, "ranks") == 0 ||
        strcmp(key->text, "monitors") == 0)
        hint = "it belongs to the top level, beside profiler";
    swi_key_unknown(reading, "profiler: ", key, names, SWI_KEYS, hint);
}

static void read_entry(struct swi_yaml_reader *reading, const struct swi_item *entry)
{
    const struct sw_option *row = swi_profiler_keys_find(entry->key->text);
    if (row)
        read_row(reading, (enum swi_key)(row - sw_profiler_options()), entry->value);
    else
        unknown_key(reading, entry->key);
}

void swi_profiler_keys_read(struct swi_yaml_reader *reading, const struct swi_node *node)
{
    if (node->wrong || node->is_null)
        return;
    if (node->kind == SWI_NODE_TEXT)
        read_row(reading, SWI_KEY_MODE, node);
    else if (node->kind == SWI_NODE_LIST)
        SWI_NODE_MISTAKE(reading, node,
                         "profiler: found a list, expected " SWI_MODE_NAMES
                         ", or a mapping of its keys, like \"mode: simple\"");
    for (size_t i = 0; node->kind == SWI_NODE_MAPPING && i < node->count; i++)
        read_entry(reading, &node->item[i]);
}

/* ---- the environment ---- */

/* Reads an entry; "schedule.active" is an entry of the mapping `schedule`. The caller owns the
 * texts. */
static void set_entry(struct swi_yaml_reader *reading, struct swi_node *key, struct swi_node *value)
{
    char *dot = strchr(key->text, '.');
    if (!dot) {
        read_entry(reading, &(struct swi_item){key, value});
        return;
    }
    *dot = '\0';
    struct swi_node name = {.kind = SWI_NODE_TEXT, .where = key->where, .text = dot + 1};
    struct swi_item item = {&name, value};
    struct swi_node mapping = {
        .kind = SWI_NODE_MAPPING, .where = key->where, .count = 1, .item = &item};
    read_entry(reading, &(struct swi_item){key, &mapping});
}

/* Reads one "key=value", whose text is changed. */
static void set_pair(struct swi_yaml_reader *reading, char *pair)
{
    struct swi_where where = {.file = "STEPWATCH_SET"};
    char *value = strchr(pair, '=');
    struct swi_node key = {.kind = SWI_NODE_TEXT, .where = where, .text = pair};
    if (!value) {
        swi_mistakes_add(reading->mistakes, &where,
                         "found %s, expected key=value, like mode=simple", SWI_NODE_SHOWN(&key));
        return;
    }
    *value++ = '\0';
    set_entry(reading, &key,
              &(struct swi_node){
                  .kind = SWI_NODE_TEXT, .is_null = !*value, .where = where, .text = value});
}

void swi_profiler_keys_set(struct swi_yaml_reader *reading, const char *pairs)
{
    char *copy = swi_yaml_reader_copy(reading, pairs), *rest = NULL;
    for (char *pair = copy ? strtok_r(copy, ",", &rest) : NULL; pair;
         pair = strtok_r(NULL, ",", &rest))
        set_pair(reading, pair);
    free(copy);
}

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
    SWI_NODE_MISTAKE(reading, value, "ranks: %s: found %s, expected a number from %d", name,
                     SWI_NODE_FOUND(value), (int)least);
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
        swi_node_unexpected(reading, node, "ranks", "a mapping, like {rank: 0, size: 4}");
        return;
    }
    keys_check(reading, node);
    int64_t rank = number_read(reading, node, "rank", 0);
    int64_t size = number_read(reading, node, "size", 1);
    if (rank < 0 || size < 0)
        return;
    if (rank >= size)
        SWI_NODE_MISTAKE(reading, node,
                         "ranks: rank %lld is not below size %lld: the first rank is 0",
                         (long long)rank, (long long)size);
    else
        reading->config->settings.ranks = (struct swi_rank_given){rank, size};
}
