/* SPDX-License-Identifier: MIT */
#include "core/plugins/options.h"
#include "core/counters/counter.h"
#include "core/plugins/option_parse.h"
#include "core/report/columns.h"
#include "core/text/address_user.h"
#include "core/text/path_text.h"
#include "core/text/printable.h"
#include "core/text/vec.h"

#include <stdlib.h>
#include <string.h>

/* The texts and lists of texts that a state points to. */
struct swi_strings {
    size_t count;
    void **item;
};

void *swi_strings_keep(struct swi_strings *strings, void *memory)
{
    if (memory && !swi_vec_room(&strings->item, strings->count, sizeof *strings->item)) {
        free(memory);
        return NULL;
    }
    if (memory)
        strings->item[strings->count++] = memory;
    return memory;
}

void swi_options_free(struct swi_strings *strings)
{
    if (!strings)
        return;
    for (size_t i = 0; i < strings->count; i++)
        free(strings->item[i]);
    free(strings->item);
    free(strings);
}

/* ---- filling a state ---- */

struct filling {
    const char *kind; /* "sink" */
    const char *name; /* of the plugin */
    const struct sw_option *options;
    const struct swi_sink_settings *settings;
    void *state;
    struct swi_strings *strings;
    struct swi_mistakes *mistakes;
};

/* "": the first. */
static const struct sw_option *option_find(const struct sw_option *options, const char *name)
{
    if (!*name && options && options->name)
        return options;
    for (const struct sw_option *option = options; option && option->name; option++)
        if (strcmp(option->name, name) == 0)
            return option;
    return NULL;
}

static void unknown_add(const struct filling *f, const struct swi_setting *setting)
{
    struct swi_option_names names;
    char all[SWI_OPTION_NAMES_BYTES], hint[128];
    swi_option_names_of_options(&names, f->options);
    swi_mistakes_add(f->mistakes, &setting->where, "%s %s: unknown option \"%s\"%s It has: %s",
                     f->kind, f->name, SWI_PRINTABLE(setting->name),
                     *swi_option_names_hint(&names, setting->name, hint, sizeof hint) ? hint : ".",
                     swi_option_names_join(&names, all, sizeof all));
}

__attribute__((format(printf, 4, 5))) static void wrong(const struct filling *f,
                                                        const struct sw_option *option,
                                                        const struct swi_where *where,
                                                        const char *format, ...)
{
    SW_ERROR_SCOPE(err);
    va_list args;
    va_start(args, format);
    sw_error_vset(&err, SW_EINVAL, format, args);
    va_end(args);
    swi_mistakes_add(f->mistakes, where, "%s %s: %s: %s", f->kind, f->name, option->name,
                     sw_error_text(&err));
}

/* Returns the text to show in a message. Secrets and text from the environment are hidden. */
static const char *visible(const struct sw_option *option, const struct swi_scalar *scalar,
                           char *buffer, size_t size)
{
    const char *user;
    bool hidden =
        option->secret || scalar->from_environment || swi_address_user(scalar->text, &user);
    bool quoted = option->type == SW_OPTION_CHOICE || !*scalar->text;
    char show[72];
    if (hidden)
        snprintf(buffer, size, "its value");
    else
        snprintf(buffer, size, quoted ? "\"%s\"" : "%s",
                 swi_printable(show, sizeof show, scalar->text));
    return buffer;
}

/* Refuses a secret in the file: it would be committed with it. */
static bool secret_check(const struct filling *f, const struct sw_option *option,
                         const struct swi_scalar *scalar)
{
    if (!option->secret || scalar->from_environment || scalar->from_program || !*scalar->text)
        return true;
    /* What swi_option_value() prints: the file is a printed configuration. */
    bool masked = strcmp(scalar->text, "***") == 0;
    wrong(f, option, &scalar->where,
          "%s: put it into an environment variable and write \"${NAME_OF_THE_VARIABLE}\" here",
          masked ? "*** is printed in place of a secret and is not the secret itself"
                 : "a secret must not be in the file");
    return false;
}

static char *path_expand(const struct swi_scalar *scalar)
{
    return swi_path_text_expand(scalar->text, secure_getenv("HOME"));
}

static void fill_scalar(const struct filling *f, const struct sw_option *option,
                        const struct swi_scalar *scalar)
{
    union swi_value value;
    SW_ERROR_SCOPE(err);
    char show[80];
    if (!secret_check(f, option, scalar))
        return;
    bool is_path = option->type == SW_OPTION_PATH;
    char *text = swi_strings_keep(f->strings, is_path ? path_expand(scalar) : strdup(scalar->text));
    if (!text)
        wrong(f, option, &scalar->where, "out of memory");
    else if (swi_option_parse(option, text, &value, &err) < 0)
        wrong(f, option, &scalar->where, "%s %s", visible(option, scalar, show, sizeof show),
              sw_error_text(&err));
    else
        memcpy((char *)f->state + option->offset, &value, swi_option_size(option->type));
}

/* Fills one entry of a list. Returns false if out of memory. */
static bool fill_item(const struct filling *f, const struct sw_option *option,
                      const struct swi_scalar *scalar, const char **item)
{
    SW_ERROR_SCOPE(err);
    char show[80];
    bool is_path = option->type == SW_OPTION_PATHS;
    *item = swi_strings_keep(f->strings, is_path ? path_expand(scalar) : strdup(scalar->text));
    if (*item && is_path && !scalar->is_null && swi_path_text_check(*item, &err) < 0)
        wrong(f, option, &scalar->where, "%s %s", visible(option, scalar, show, sizeof show),
              sw_error_text(&err));
    return *item != NULL;
}

static bool is_list(const struct sw_option *option)
{
    return option->type == SW_OPTION_LIST || option->type == SW_OPTION_PATHS;
}

static void fill_list(const struct filling *f, const struct sw_option *option,
                      const struct swi_setting *setting)
{
    const char **list = swi_strings_keep(f->strings, calloc(setting->count + 1, sizeof *list));
    bool fine = list;
    for (size_t i = 0; i < setting->count && fine; i++) {
        const struct swi_scalar *scalar = &setting->value[i];
        if (scalar->is_null)
            wrong(f, option, &scalar->where, "entry %zu of the list is empty", i + 1);
        else
            secret_check(f, option, scalar);
        fine = fill_item(f, option, scalar, &list[i]);
    }
    if (fine)
        memcpy((char *)f->state + option->offset, &list, sizeof list);
    else
        wrong(f, option, &setting->where, "out of memory");
}

/* Fills one entry of a mapping: its name and its value. Returns false if out of memory. */
static bool fill_entry(const struct filling *f, const struct sw_option *option,
                       const struct swi_scalar *scalar, const char **entry)
{
    if (scalar->is_null)
        wrong(f, option, &scalar->where, "entry %s of the mapping is empty",
              SWI_PRINTABLE(scalar->name));
    else
        secret_check(f, option, scalar);
    entry[0] = swi_strings_keep(f->strings, strdup(scalar->name));
    entry[1] = swi_strings_keep(f->strings, strdup(scalar->text));
    return entry[0] && entry[1];
}

static void fill_map(const struct filling *f, const struct sw_option *option,
                     const struct swi_setting *setting)
{
    const char **map = swi_strings_keep(f->strings, calloc(2 * setting->count + 1, sizeof *map));
    bool fine = map;
    for (size_t i = 0; i < setting->count && fine; i++)
        fine = fill_entry(f, option, &setting->value[i], &map[2 * i]);
    if (fine)
        memcpy((char *)f->state + option->offset, &map, sizeof map);
    else
        wrong(f, option, &setting->where, "out of memory");
}

static bool is_nothing(const struct swi_setting *setting)
{
    return !setting->is_list && !setting->is_map && setting->value[0].is_null;
}

/* `key:` without a value keeps the fallback. */
static void fill_setting(const struct filling *f, const struct sw_option *option,
                         const struct swi_setting *setting)
{
    if (is_nothing(setting))
        return;
    if (setting->is_map && option->type == SW_OPTION_MAP)
        fill_map(f, option, setting);
    else if (setting->is_map)
        wrong(f, option, &setting->value_where,
              "found a mapping, expected text or a list of texts");
    else if (option->type == SW_OPTION_MAP)
        wrong(f, option, &setting->value_where, "expected a mapping, like {name: value}");
    else if (is_list(option))
        fill_list(f, option, setting);
    else if (setting->is_list)
        wrong(f, option, &setting->where,
              setting->repeats_key ? "is given more than once"
                                   : "expected one value, found a list");
    else
        fill_scalar(f, option, &setting->value[0]);
}

/* The fallback of a list is one text, or "[a, b]". */
static void fallback_list(const struct filling *f, const struct sw_option *option)
{
    struct swi_scalar scalar[SWI_OPTION_NAMES_MAX] = {0};
    struct swi_setting list = {.where = f->settings->where, .is_list = true, .value = scalar};
    char *text = swi_strings_keep(f->strings, strdup(option->fallback)), *rest = NULL;
    bool many = text && text[0] == '[';
    for (char *at = text ? strtok_r(text, many ? "[], " : "", &rest) : NULL;
         at && list.count < SWI_OPTION_NAMES_MAX; at = strtok_r(NULL, many ? "[], " : "", &rest))
        scalar[list.count++].text = at;
    fill_list(f, option, &list);
}

static void fill_fallback(const struct filling *f, const struct sw_option *option)
{
    const struct swi_setting *setting = swi_setting_find(f->settings, option->name);
    if (!setting && option == f->options)
        setting = swi_setting_find(f->settings, "");
    struct swi_scalar scalar = {.text = (char *)option->fallback, .where = f->settings->where};
    if (option->required && (!setting || is_nothing(setting)))
        swi_mistakes_add(f->mistakes, setting ? &setting->where : &f->settings->where,
                         "%s %s: %s is required: %s", f->kind, f->name, option->name, option->help);
    if (option->fallback && is_list(option))
        fallback_list(f, option);
    else if (option->fallback)
        fill_scalar(f, option, &scalar);
}

static void fill_all(const struct filling *f)
{
    const struct swi_sink_settings *settings = f->settings;
    for (const struct sw_option *option = f->options; option && option->name; option++)
        fill_fallback(f, option);
    for (size_t i = 0; i < settings->count; i++) {
        const struct swi_setting *setting = &settings->setting[i];
        const struct sw_option *option = option_find(f->options, setting->name);
        if (!option)
            unknown_add(f, setting);
        else if (swi_setting_find(settings, setting->name) != setting)
            wrong(f, option, &setting->where, "is given twice");
        else
            fill_setting(f, option, setting);
    }
}

int swi_options_fill(const struct swi_kind *kind, const void *plugin,
                     const struct swi_sink_settings *settings, void *state,
                     struct swi_strings **strings, struct swi_mistakes *mistakes)
{
    const struct swi_descriptor *descriptor = plugin;
    size_t before = mistakes->count;
    *strings = calloc(1, sizeof **strings);
    if (!*strings) {
        swi_mistakes_add(mistakes, &settings->where, "%s %s: out of memory", kind->word,
                         descriptor->name);
        return SW_ENOMEM;
    }
    fill_all(&(struct filling){.kind = kind->word,
                               .name = descriptor->name,
                               .options = swi_kind_options(kind, plugin),
                               .settings = settings,
                               .state = state,
                               .strings = *strings,
                               .mistakes = mistakes});
    return mistakes->count == before ? 0 : SW_ECONFIG;
}

/* `seen` is what the sink gets. It is the first member, so that say() can find the others. */
struct check {
    struct sw_sink_check seen;
    const struct swi_sink_settings *sink;
    struct swi_mistakes *mistakes;
    bool remarks;
};

/* Returns the place of the option's value, or of the sink if the option is not given. */
static struct swi_where place_of(const struct swi_sink_settings *sink, const char *option)
{
    const struct swi_setting *setting = option ? swi_setting_find(sink, option) : NULL;
    return !setting ? sink->where : setting->count ? setting->value[0].where : setting->where;
}

static void say(struct sw_sink_check *seen, bool refuses, const char *option, const char *text)
{
    struct check *check = (struct check *)seen;
    struct swi_where where = place_of(check->sink, option);
    if (refuses || check->remarks)
        swi_mistakes_add(check->mistakes, &where, "sink %s: %s%s%s", check->sink->name,
                         option ? option : "", option ? ": " : "", text);
}

/* The columns of a report, and those that counters may add to it. */
#define OF(id)                                                                                     \
    {.key = "counter/" #id,                                                                        \
     .header = "counter/" #id,                                                                     \
     .brief = "counter/" #id,                                                                      \
     .kind = SW_COLUMN_COUNTER,                                                                    \
     .flags = SW_COLUMN_OF_COUNTER},                                                               \
        {.key = "counter/" #id "/self",                                                            \
         .header = "counter/" #id "/self",                                                         \
         .brief = "counter/" #id "/self",                                                          \
         .kind = SW_COLUMN_COUNTER,                                                                \
         .flags = SW_COLUMN_OF_COUNTER},
static const struct sw_column of_counters[] = {SWI_COUNTERS(OF)};
#undef OF
enum { OF_COUNTERS = sizeof of_counters / sizeof *of_counters, COLUMNS_MOST = OF_COUNTERS + 64 };

static void columns_take(struct sw_report *columns, struct sw_column *known)
{
    swi_columns_set(columns);
    size_t count = columns->column_count < 64 ? columns->column_count : 64;
    memcpy(known, columns->column, count * sizeof *known);
    memcpy(known + count, of_counters, sizeof of_counters);
    columns->column = known;
    columns->column_count = count + OF_COUNTERS;
}

void swi_sink_check(const struct sw_sink_plugin *plugin, const void *state,
                    const struct swi_sink_settings *sink, const char *directory, bool remarks,
                    struct swi_mistakes *mistakes)
{
    struct sw_report columns;
    struct sw_column known[COLUMNS_MOST];
    columns_take(&columns, known);
    struct check check = {.seen = {.size = sizeof check.seen,
                                   .directory = directory ? directory : "",
                                   .name = sink->name,
                                   .say = say,
                                   .column_count = columns.column_count,
                                   .column_size = columns.column_size,
                                   .column = columns.column},
                          .sink = sink,
                          .mistakes = mistakes,
                          .remarks = remarks};
    if (plugin->check)
        plugin->check(state, &check.seen);
}
