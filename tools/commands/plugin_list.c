/* SPDX-License-Identifier: MIT */
/* stepwatch sinks and stepwatch monitors - what plugins there are, and their options. */
#include "tools/commands/commands.h"
#include "tools/output/print.h"

#include <stepwatch/inspect.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One plugin. Without a problem, it has all texts. */
struct plugin_found {
    const char *name, *path, *problem;
    bool shadowed;
    const char *version, *license, *summary;
    const struct sw_option *options;
};

struct plugin_list {
    const char *command; /* "sinks", which is also the key of the JSON */
    const char *word;    /* "sink" */
    size_t count;
    const struct plugin_found *item;
};

/* Returns their names, like "csv, markdown and table", each once, even if several folders have it.
 * The caller frees it. Returns NULL if out of memory. */
static char *list_names(const struct plugin_list *list)
{
    char *names = NULL;
    size_t size = 0, printed = 0, count = 0;
    FILE *out = open_memstream(&names, &size);
    if (!out)
        return NULL;
    for (size_t i = 0; i < list->count; i++)
        count += !list->item[i].shadowed;
    for (size_t i = 0; i < list->count; i++)
        if (!list->item[i].shadowed)
            fprintf(out, "%s%s",
                    !printed++         ? ""
                    : printed == count ? " and "
                                       : ", ",
                    list->item[i].name);
    if (fclose(out) == 0)
        return names;
    free(names);
    return NULL;
}

/* ---- the list -------------------------------------------------------------------------------- */

static const char *const type_names[] = {"true or false", "integer", "number", "duration", "size",
                                         "text",          "path",    "choice", "list",     "name",
                                         "subpath",       "mapping", "paths"};

/* What a plugin says of itself may hold anything. */
static void put(const char *before, const char *text)
{
    fputs(before, stdout);
    text_put(text, 0);
}

static void print_range(const struct sw_option *option)
{
    if (option->type == SW_OPTION_CHOICE)
        put(", one of ", option->choices);
    else if (option->min != 0 || option->max != 0)
        printf(", %.15g..%.15g%s", option->min, option->max,
               option->type == SW_OPTION_DURATION ? " s"
               : option->type == SW_OPTION_SIZE   ? " bytes"
                                                  : "");
}

static void print_option(const struct sw_option *option)
{
    put("  ", "");
    text_put(option->name, 20);
    printf(" %s", type_names[option->type]);
    print_range(option);
    if (option->unit)
        put(", in ", option->unit);
    if (option->required)
        printf(", required");
    else if (option->fallback)
        put(", default ", *option->fallback ? option->fallback : "\"\"");
    printf("%s\n  %-20s ", option->secret ? ", secret" : "", "");
    put("", option->help);
    putchar('\n');
}

static void print_path(const struct plugin_found *found)
{
    text_put(found->path, 0);
    puts(found->shadowed ? " (hidden by one of the same name, found earlier)" : "");
}

static void print_plugin(const struct plugin_found *found)
{
    if (found->problem) {
        put("", found->name);
        putchar('\n');
        put("  ", found->path);
        put("\n  cannot be used: ", found->problem);
        putchar('\n');
        return;
    }
    put("", found->name);
    put(" ", "");
    put("", found->version);
    put(" (", found->license);
    put("): ", found->summary);
    printf("\n  ");
    print_path(found);
    if (!found->options || !found->options->name)
        printf("  no options\n");
    for (const struct sw_option *option = found->options; option && option->name; option++)
        print_option(option);
}

static void print_line(const struct plugin_found *found)
{
    text_put(found->name, 12);
    putchar(' ');
    if (found->problem) {
        put("cannot be used: ", found->problem);
        putchar('\n');
        return;
    }
    text_put(found->version, 8);
    put(" ", found->summary);
    printf("\n%-12s ", "");
    print_path(found);
}

/* ---- the same as JSON ---- */

static void put_text(json_t *object, const char *key, const char *text)
{
    if (text)
        json_object_set_new(object, key, text_json(text));
}

static json_t *choices_json(const char *choices)
{
    json_t *list = json_array();
    while (*choices) {
        size_t length = strcspn(choices, "|");
        json_array_append_new(list, json_stringn(choices, length));
        choices += length + (choices[length] == '|');
    }
    return list;
}

static json_t *option_json(const struct sw_option *option)
{
    json_t *object = json_object();
    put_text(object, "name", option->name);
    put_text(object, "type", type_names[option->type]);
    put_text(object, "default", option->fallback);
    if (option->min != 0 || option->max != 0) {
        json_object_set_new(object, "min", text_json_number(option->min));
        json_object_set_new(object, "max", text_json_number(option->max));
    }
    if (option->type == SW_OPTION_CHOICE)
        json_object_set_new(object, "choices", choices_json(option->choices));
    put_text(object, "unit", option->unit);
    json_object_set_new(object, "required", json_boolean(option->required));
    json_object_set_new(object, "secret", json_boolean(option->secret));
    put_text(object, "help", option->help);
    return object;
}

static json_t *options_json(const struct sw_option *option)
{
    json_t *list = json_array();
    for (; option && option->name; option++)
        json_array_append_new(list, option_json(option));
    return list;
}

static json_t *plugin_json(const struct plugin_found *found)
{
    json_t *object = json_object();
    put_text(object, "name", found->name);
    put_text(object, "path", found->path);
    put_text(object, "problem", found->problem);
    json_object_set_new(object, "hidden", json_boolean(found->shadowed));
    if (found->problem)
        return object;
    put_text(object, "version", found->version);
    put_text(object, "license", found->license);
    put_text(object, "summary", found->summary);
    json_object_set_new(object, "options", options_json(found->options));
    return object;
}

static int print_json(const struct plugin_list *list, const char *name)
{
    json_t *all = json_array();
    for (size_t i = 0; i < list->count; i++)
        if (!name || strcmp(list->item[i].name, name) == 0)
            json_array_append_new(all, plugin_json(&list->item[i]));
    return json_show(list->command, json_pack("{s:o}", list->command, all)) ? EXIT_FINE
                                                                            : EXIT_FAILED;
}

/* ---- the list ---- */

static bool has_name(const struct plugin_list *list, const char *name)
{
    for (size_t i = 0; i < list->count; i++)
        if (strcmp(list->item[i].name, name) == 0)
            return true;
    return false;
}

/* As in a build folder, whose plugins are in no folder that is looked through. */
static int none_found(const struct plugin_list *list)
{
    say(list->command,
        "no %s was found; the variable STEPWATCH_PLUGIN_PATH or the key plugin_path names more "
        "folders (in a build folder: %s/.libs)",
        list->word, list->command);
    return EXIT_FAILED;
}

static int refuse_name(const struct plugin_list *list, const char *name)
{
    if (list->count == 0)
        return none_found(list);
    char *names = list_names(list);
    say(list->command, "no %s is named \"%s\"; the %s are %s", list->word, name, list->command,
        names ? names : "others");
    free(names);
    return EXIT_FAILED;
}

/* Prints them as lines, or one by its name with its options, or as JSON. Returns an exit status. */
static int list_print(const struct plugin_list *list, const char *name, bool json)
{
    if (name && !has_name(list, name))
        return refuse_name(list, name);
    if (json)
        return print_json(list, name);
    if (list->count == 0)
        return none_found(list);
    for (size_t i = 0; i < list->count; i++) {
        if (!name)
            print_line(&list->item[i]);
        else if (strcmp(list->item[i].name, name) == 0)
            print_plugin(&list->item[i]);
    }
    return EXIT_FINE;
}

/* ---- the commands ---- */

/* Finds the plugins and prints them. Returns an exit status, or a negative code and err. */
typedef int plugins_find_fn(const char *config, const char *name, bool json, struct sw_error *err);

static int list_run(const struct command *command, plugins_find_fn *find, int argc, char **argv)
{
    const char *config = NULL;
    bool json = false;
    const struct argument arguments[] = {{.name = "config", .value = &config},
                                         {.name = "json", .flag = &json}};
    SW_ERROR_SCOPE(err);
    arguments_take(command, arguments, 2, &argc, argv);
    if (argc > 2)
        return usage_error(command, "expected at most one NAME, found %d", argc - 1);
    int rc = find(config, argc == 2 ? argv[1] : NULL, json, &err);
    if (rc >= 0)
        return rc;
    say_error(command->name, &err);
    return EXIT_FAILED;
}

/* The command of a kind of plugins, such as sinks, which are of one type for each kind. */
#define PLUGIN_COMMAND(kind, word)                                                                 \
    static const char kind##_help[] =                                                              \
        "usage: stepwatch " #kind " [NAME] [--config FILE] [--json]\n\n"                           \
        "Lists the " #kind " that a configuration can name: where each was found, its\n"           \
        "version, and which ones are hidden by another of the same name or cannot be\n"            \
        "used. With NAME, prints the options of that " #word ".\n\n"                               \
        "  --config FILE  also look in the plugin_path of that configuration (default: the\n"      \
        "                 one that sw_open() finds)\n"                                             \
        "  --json         print everything about each " #word                                      \
        " as JSON, with the type, default and\n"                                                   \
        "                 range of its options\n";                                                 \
                                                                                                   \
    /* A new array; NULL if out of memory. */                                                      \
    static struct plugin_found *kind##_items(const struct sw_##kind *from)                         \
    {                                                                                              \
        struct plugin_found *item = calloc(from->count + 1, sizeof *item);                         \
        for (size_t i = 0; item && i < from->count; i++) {                                         \
            item[i] = (struct plugin_found){.name = from->item[i].name,                            \
                                            .path = from->item[i].path,                            \
                                            .problem = from->item[i].problem,                      \
                                            .shadowed = from->item[i].shadowed};                   \
            if (from->item[i].problem)                                                             \
                continue;                                                                          \
            item[i].version = from->item[i].plugin->version;                                       \
            item[i].license = from->item[i].plugin->license;                                       \
            item[i].summary = from->item[i].plugin->summary;                                       \
            item[i].options = from->item[i].plugin->options;                                       \
        }                                                                                          \
        return item;                                                                               \
    }                                                                                              \
                                                                                                   \
    static int kind##_show(const char *config, const char *name, bool json, struct sw_error *err)  \
    {                                                                                              \
        struct sw_##kind *found;                                                                   \
        int rc = sw_##kind##_find(config, &found, err);                                            \
        if (rc < 0)                                                                                \
            return rc;                                                                             \
        struct plugin_found *item = kind##_items(found);                                           \
        const struct plugin_list list = {#kind, #word, found->count, item};                        \
        rc = item ? list_print(&list, name, json)                                                  \
                  : sw_error_set(err, SW_ENOMEM, "not enough memory to list the " #kind);          \
        free(item);                                                                                \
        sw_##kind##_free(found);                                                                   \
        return rc;                                                                                 \
    }                                                                                              \
                                                                                                   \
    static int kind##_run(int argc, char **argv)                                                   \
    {                                                                                              \
        return list_run(&kind##_command, kind##_show, argc, argv);                                 \
    }                                                                                              \
                                                                                                   \
    const struct command kind##_command = {#kind, "lists the " #kind " and their options",         \
                                           kind##_help, kind##_run};

PLUGIN_COMMAND(monitors, monitor)
PLUGIN_COMMAND(sinks, sink)

char *sinks_names(const struct sw_sinks *sinks)
{
    struct plugin_found *item = sinks_items(sinks);
    const struct plugin_list list = {"sinks", "sink", sinks->count, item};
    char *names = item ? list_names(&list) : NULL;
    free(item);
    return names;
}
