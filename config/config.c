/* SPDX-License-Identifier: MIT */
#include "config/config.h"

#include "config/plugin_entries.h"
#include "config/profiler_keys.h"
#include "config/yaml_tree.h"
#include "config/yaml_reader.h"
#include "core/text/path_text.h"
#include "core/text/printable.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- reads `logger_callback` into the settings of sinks -------------------------------------- */

/* Core checks whether the sinks exist and what their options mean. */

/* Reads `logger_callback` into config->settings.sink. node: NULL if it is not given. */
static void logger_callback_read(struct swi_yaml_reader *reading, const struct swi_node *node)
{
    struct swi_entries sinks = swi_sink_entries(reading);
    swi_entries_read(reading, &sinks, node);
}

/* Adds the sinks that show_report, markdown and save_csv ask for, and passes plain and csv_name to
 * them. */
static void logger_callback_complete(struct swi_yaml_reader *reading)
{
    const struct swi_profiler_keys *keys = &reading->config->keys;
    swi_sink_add_where_not_named(reading, "table", keys->show_report, SWI_KEY_SHOW_REPORT);
    swi_sink_add_where_not_named(reading, "markdown", keys->markdown, SWI_KEY_MARKDOWN);
    swi_sink_add_where_not_named(reading, "csv", keys->save_csv, SWI_KEY_SAVE_CSV);
    if (keys->given[SWI_KEY_PLAIN].given)
        swi_sink_hand_on(reading, SWI_KEY_PLAIN, "table", "plain", keys->plain ? "true" : "false");
    swi_sink_spare(reading, "table", "path");
    swi_sink_hand_on(reading, SWI_KEY_CSV_NAME, "csv", "path", swi_profiler_keys_csv_name(keys));
}

/* ---- plugin_path and name ---- */

static void path_add(struct swi_yaml_reader *reading, const char *path)
{
    struct swi_settings *settings = &reading->config->settings;
    size_t count = settings->plugin_path_count;
    if (!swi_yaml_reader_room(reading, &settings->plugin_path, count,
                              sizeof *settings->plugin_path))
        return;
    while (strncmp(path, "./", 2) == 0)
        path += 2;
    bool here = strcmp(path, ".") == 0 || !*path, whole = *path == '/';
    if (asprintf(&settings->plugin_path[count], "%s%s%s", whole ? "" : settings->directory,
                 whole || here ? "" : "/", here ? "" : path) < 0)
        reading->no_memory = true;
    else
        settings->plugin_path_count++;
}

static void folder_read(struct swi_yaml_reader *reading, const struct swi_node *node)
{
    SW_ERROR_SCOPE(err);
    char *path = swi_path_text_expand(node->text, secure_getenv("HOME"));
    if (!path)
        reading->no_memory = true;
    else if (swi_path_text_check(path, &err) < 0)
        SWI_NODE_MISTAKE(reading, node, "plugin_path: %s %s", SWI_NODE_SHOWN(node),
                         sw_error_text(&err));
    else if (*path != '/' && !*reading->config->settings.directory)
        SWI_NODE_MISTAKE(reading, node,
                         "plugin_path: it is relative to the working directory, which was removed "
                         "or cannot be read: use an absolute path");
    else
        path_add(reading, path);
    free(path);
}

static void read_path(struct swi_yaml_reader *reading, const struct swi_node *node)
{
    if (node->wrong)
        return;
    if (node->kind != SWI_NODE_TEXT || node->is_null || !*node->text)
        swi_node_unexpected(reading, node, "plugin_path", "a folder");
    else
        folder_read(reading, node);
}

static void paths_read(struct swi_yaml_reader *reading, const struct swi_node *node)
{
    if (node->wrong || node->is_null)
        return;
    if (node->kind != SWI_NODE_LIST)
        read_path(reading, node);
    for (size_t i = 0; node->kind == SWI_NODE_LIST && i < node->count; i++)
        read_path(reading, node->item[i].value);
}

/* The name in a program's options replaces that of the file. */
static void name_set(struct swi_yaml_reader *reading, const char *name)
{
    free(reading->config->settings.name);
    reading->config->settings.name = swi_yaml_reader_copy(reading, name);
}

static void read_name(struct swi_yaml_reader *reading, const struct swi_node *node)
{
    if (node->wrong || node->is_null)
        return;
    if (node->kind != SWI_NODE_TEXT || !*node->text)
        swi_node_unexpected(reading, node, "name", "the name of the run");
    else
        name_set(reading, node->text);
}

/* ---- the whole ---- */

static const struct {
    const char *name;
    void (*read)(struct swi_yaml_reader *reading, const struct swi_node *node);
} parts[] = {
    {"name", read_name},
    {"profiler", swi_profiler_keys_read},
    {"logger_callback", logger_callback_read},
    {"monitors", swi_monitors_read},
    {"ranks", swi_ranks_read},
    {"plugin_path", paths_read},
};
enum { PARTS = sizeof parts / sizeof *parts };

static void unknown_part(struct swi_yaml_reader *reading, const struct swi_node *key)
{
    const char *names[PARTS];
    const char *hint = NULL;
    for (int i = 0; i < PARTS; i++)
        names[i] = parts[i].name;
    if (swi_profiler_keys_has(key->text))
        hint = "it belongs below profiler, indented";
    else if (strcmp(key->text, "sinks") == 0 || strcmp(key->text, "sink") == 0)
        hint = "list the sinks below logger_callback";
    else if (strcmp(key->text, "monitor") == 0)
        hint = "list the monitors below monitors";
    swi_key_unknown(reading, "", key, names, PARTS, hint);
}

static void read_part(struct swi_yaml_reader *reading, const struct swi_item *entry)
{
    for (int i = 0; i < PARTS; i++) {
        if (strcmp(entry->key->text, parts[i].name) == 0) {
            parts[i].read(reading, entry->value);
            return;
        }
    }
    unknown_part(reading, entry->key);
}

/* If the file is a single text, the space after a key's colon is often missing. */
static const char *blank_hint(const struct swi_node *root)
{
    bool is_pair = root->kind == SWI_NODE_TEXT && strpbrk(root->text, ":=");
    return is_pair ? ": write a colon and a space between a key and its value" : "";
}

static void read_root(struct swi_yaml_reader *reading, const struct swi_node *root)
{
    if (!root || root->wrong || root->is_null)
        return;
    if (root->kind != SWI_NODE_MAPPING)
        SWI_NODE_MISTAKE(reading, root, "found %s, expected a mapping, like \"profiler: simple\"%s",
                         SWI_NODE_FOUND(root), blank_hint(root));
    for (size_t i = 0; root->kind == SWI_NODE_MAPPING && i < root->count; i++)
        read_part(reading, &root->item[i]);
}

/* The settings that core needs. */
static void settings_of_keys(struct swi_settings *settings, const struct swi_profiler_keys *keys)
{
    settings->mode = keys->mode;
    settings->rolling_average = keys->rolling_average;
    settings->drop_first_batch = keys->drop_first_batch;
    settings->accounting = keys->accounting;
    settings->signals = keys->signals;
    settings->close_timeout_ns = keys->close_timeout_ns;
    settings->values_memory = (size_t)keys->values_memory;
    settings->wait = keys->wait;
    settings->schedule = keys->schedule;
    settings->capture = keys->capture;
    settings->counter = keys->counter;
    settings->peak_flops = keys->peak_flops;
    settings->watchdog = keys->watchdog;
    settings->functions = keys->functions;
}

static void read_options(struct swi_yaml_reader *reading)
{
    struct swi_settings *settings = &reading->config->settings;
    struct swi_tree tree;
    if (!reading->options)
        return;
    if (swi_program_options_tree(&tree, reading->options, settings, reading->mistakes) < 0)
        reading->no_memory = true;
    else
        read_root(reading, tree.root);
    swi_tree_fini(&tree);
}

static int read_text(struct swi_yaml_reader *reading, const char *text, size_t size,
                     struct sw_error *err)
{
    struct swi_config *config = reading->config;
    struct swi_tree tree = {0};
    const char *source = config->settings.source ? config->settings.source : "";
    int rc = 0;
    swi_profiler_keys_init(&config->keys);
    if (swi_source_check(text, size, source, reading->mistakes))
        rc = swi_tree_parse(&tree, text, size, source, reading->mistakes, err);
    if (rc == 0) {
        const char *set = secure_getenv("STEPWATCH_SET");
        read_root(reading, tree.root);
        read_options(reading);
        if (set)
            swi_profiler_keys_set(reading, set);
        swi_functions_complete(reading);
        logger_callback_complete(reading);
        swi_windows_complete(reading);
    }
    settings_of_keys(&config->settings, &config->keys);
    swi_tree_fini(&tree);
    if (reading->no_memory)
        rc = sw_error_set(err, SW_ENOMEM, "not enough memory for the configuration");
    /* A mistake that ended the parsing is reported like any other. */
    return rc == SW_ENOMEM ? rc : 0;
}

/* config must be empty apart from the names of the file. options may be NULL. Frees config on
 * failure. */
static int read_into(struct swi_config *config, const char *text, size_t size,
                     const struct sw_options *options, struct swi_mistakes *mistakes,
                     struct sw_error *err)
{
    struct swi_yaml_reader reading = {.config = config, .mistakes = mistakes, .options = options};
    int rc = read_text(&reading, text, size, err);
    if (rc < 0)
        swi_config_fini(config);
    return rc;
}

static int no_memory(struct swi_config *config, struct sw_error *err)
{
    swi_config_fini(config);
    return sw_error_set(err, SW_ENOMEM, "not enough memory for the configuration");
}

int swi_config_text(const char *text, size_t size, const char *name, const char *directory,
                    struct swi_config *config, struct swi_mistakes *mistakes, struct sw_error *err)
{
    *config = (struct swi_config){0};
    config->settings.source = strdup(name);
    config->settings.directory = strdup(directory);
    if (!config->settings.source || !config->settings.directory)
        return no_memory(config, err);
    return read_into(config, text, size, NULL, mistakes, err);
}

void swi_config_fini(struct swi_config *config)
{
    swi_settings_fini(&config->settings);
    swi_profiler_keys_fini(&config->keys);
}

/* ---- files ---- */

/* Returns the file to read: path, that of the environment, or that in the working directory; NULL
 * if there is none. */
static const char *find_file(const char *path, bool *from_environment)
{
    const char *named = path ? NULL : secure_getenv("STEPWATCH_CONFIG");
    *from_environment = named && *named;
    if (path || *from_environment)
        return path ? path : named;
    bool missing = access("stepwatch.yaml", F_OK) < 0 && errno == ENOENT;
    return missing ? NULL : "stepwatch.yaml";
}

/* Returns the folder of a file below `here`; "" if `here` has no name. */
static char *folder_of(const char *file, const char *here, bool absolute)
{
    const char *slash = strrchr(file, '/');
    if (!absolute && !*here)
        return strdup("");
    return slash > file ? strndup(file, (size_t)(slash - file)) : strdup("/");
}

/* Sets source, file and directory. path NULL: only the directory. */
static bool name_file(struct swi_settings *settings, const char *path)
{
    char *here = swi_working_directory();
    bool absolute = path && *path == '/';
    if (!here)
        return false;
    if (path)
        settings->file = swi_path_text_below(here, path);
    settings->source = path ? strdup(path) : NULL;
    if (!path)
        settings->directory = strdup(here);
    else if (settings->file)
        settings->directory = folder_of(settings->file, here, absolute);
    free(here);
    return settings->directory && (!path || (settings->file && settings->source));
}

/* What to read: a file, options of the program, or both. */
struct found {
    const char *path; /* NULL: no file */
    bool named;       /* the program or the environment named it */
    bool from_environment;
    const struct sw_options *options; /* NULL if there are none */
};

/* Sets another base for relative paths, which the program gave. */
static bool directory_set(struct swi_settings *settings, const char *directory)
{
    char *here = swi_working_directory();
    char *whole = here ? swi_path_text_below(here, directory) : NULL;
    free(here);
    if (!whole)
        return false;
    free(settings->directory);
    settings->directory = whole;
    return true;
}

static int read_named(const struct found *found, const char *text, size_t size,
                      struct swi_config *config, struct swi_mistakes *mistakes,
                      struct sw_error *err)
{
    struct swi_settings *settings = &config->settings;
    const struct sw_options *options = found->options;
    if (!name_file(settings, found->path) ||
        (options && options->directory && !directory_set(settings, options->directory)))
        return no_memory(config, err);
    if (options) {
        settings->messages = options->messages;
        settings->messages_arg = options->messages_arg;
    }
    return read_into(config, text, size, options, mistakes, err);
}

static int read_found(const struct found *found, struct swi_config *config,
                      struct swi_mistakes *mistakes, struct sw_error *err)
{
    char *text = NULL;
    size_t size = 0;
    *config = (struct swi_config){0};
    int rc = found->path ? swi_source_read(found->path, found->named, &text, &size, err) : 0;
    if (rc < 0) {
        if (found->from_environment)
            sw_error_prefix(err, "STEPWATCH_CONFIG");
        /* The path may contain any bytes, and the program prints the error. */
        swi_printable_error(err);
        return rc;
    }
    rc = read_named(found, text ? text : "", size, config, mistakes, err);
    free(text);
    return rc;
}

int swi_config_file(const char *path, struct swi_config *config, struct swi_mistakes *mistakes,
                    struct sw_error *err)
{
    struct found found = {.named = path};
    found.path = find_file(path, &found.from_environment);
    found.named |= found.from_environment;
    return read_found(&found, config, mistakes, err);
}

int swi_config_options(const struct sw_options *options, struct swi_config *config,
                       struct swi_mistakes *mistakes, struct sw_error *err)
{
    struct found found = {.path = options->file, .named = true, .options = options};
    if (options->file && !*options->file) {
        found.path = find_file(NULL, &found.from_environment);
        found.named = found.from_environment;
    }
    return read_found(&found, config, mistakes, err);
}
