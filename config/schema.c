/* SPDX-License-Identifier: MIT */
#include "config/schema.h"

#include "core/nearest.h"
#include "core/parse.h"
#include "core/shown.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define ROLLING_MAX 1000000
#define TIMEOUT_MAX_NS (INT64_C(3600) * 1000000000)

/* The keys of the mapping `profiler`, and where they go. */
struct profile {
    struct swi_settings *settings;
    bool show_report, plain, markdown, save_csv;
    const struct swi_node *show_report_at, *plain_at, *markdown_at,
        *save_csv_at; /* NULL: the default */
    const struct swi_node *csv_name;
};

struct reader {
    struct swi_settings *settings;
    struct swi_mistakes *mistakes;
    struct profile profile;
    bool no_memory;
};

typedef void read_fn(struct reader *r, const struct swi_node *node);

struct key {
    const char *name;
    read_fn *read;
};

__attribute__((format(printf, 3, 4))) static void
wrong(struct reader *r, const struct swi_node *node, const char *format, ...)
{
    char text[1024];
    va_list args;
    if (node->wrong)
        return;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    swi_mistakes_add(r->mistakes, &node->where, "%s", text);
}

/* ---- typed texts --------------------------------------------------------------------------------
 */

static bool is_text(struct reader *r, const struct swi_node *node, const char *key,
                    const char *expected)
{
    if (node->kind == SWI_NODE_TEXT && !node->is_null)
        return !node->wrong;
    wrong(r, node, "%s: %s where %s was expected", key, SWI_NODE_SHOWN(node), expected);
    return false;
}

static void read_bool(struct reader *r, const struct swi_node *node, const char *key, bool *value)
{
    struct sw_error err;
    if (is_text(r, node, key, "true or false") && swi_parse_bool(node->text, value, &err) < 0)
        wrong(r, node, "%s: %s %s", key, SWI_NODE_SHOWN(node), err.text);
}

static char *copy(struct reader *r, const char *text)
{
    char *made = strdup(text);
    r->no_memory |= !made;
    return made;
}

/* ---- profiler -----------------------------------------------------------------------------------
 */

static void read_mode(struct reader *r, const struct swi_node *node)
{
    static const char *const modes[] = {"throughput", "simple", "off"};
    if (!is_text(r, node, "mode", "throughput, simple or off"))
        return;
    for (int i = 0; i < 3; i++)
        if (strcmp(node->text, modes[i]) == 0) {
            r->settings->mode = (enum sw_mode)i;
            return;
        }
    const char *nearest = swi_nearest(node->text, modes, 3);
    wrong(r, node, "mode: %s is none of throughput, simple, off%s%s%s", SWI_NODE_SHOWN(node),
          nearest ? ": did you mean " : "", nearest ? nearest : "", nearest ? "?" : "");
}

static void read_rolling(struct reader *r, const struct swi_node *node)
{
    struct sw_error err;
    int64_t value;
    if (!is_text(r, node, "rolling_average", "a number of training steps"))
        return;
    if (swi_parse_int(node->text, &value, &err) < 0)
        wrong(r, node, "rolling_average: %s %s", SWI_NODE_SHOWN(node), err.text);
    else if (value < 1 || value > ROLLING_MAX)
        wrong(r, node, "rolling_average: %" PRId64 " is not within 1..%d training steps", value,
              ROLLING_MAX);
    else
        r->settings->rolling_average = value;
}

static void read_timeout(struct reader *r, const struct swi_node *node)
{
    struct sw_error err;
    int64_t value;
    if (!is_text(r, node, "close_timeout", "a duration like 5s"))
        return;
    if (swi_parse_duration(node->text, &value, &err) < 0)
        wrong(r, node, "close_timeout: %s %s", SWI_NODE_SHOWN(node), err.text);
    else if (value > TIMEOUT_MAX_NS)
        wrong(r, node, "close_timeout: %s is more than an hour", SWI_NODE_SHOWN(node));
    else
        r->settings->close_timeout_ns = value;
}

static void read_drop(struct reader *r, const struct swi_node *node)
{
    read_bool(r, node, "drop_first_batch", &r->settings->drop_first_batch);
}

static void read_accounting(struct reader *r, const struct swi_node *node)
{
    read_bool(r, node, "accounting", &r->settings->accounting);
}

static void read_signals(struct reader *r, const struct swi_node *node)
{
    read_bool(r, node, "signals", &r->settings->signals);
}

static void read_show_report(struct reader *r, const struct swi_node *node)
{
    r->profile.show_report_at = node;
    read_bool(r, node, "show_report", &r->profile.show_report);
}

static void read_plain(struct reader *r, const struct swi_node *node)
{
    r->profile.plain_at = node;
    read_bool(r, node, "plain", &r->profile.plain);
}

static void read_markdown(struct reader *r, const struct swi_node *node)
{
    r->profile.markdown_at = node;
    read_bool(r, node, "markdown", &r->profile.markdown);
}

static void read_save_csv(struct reader *r, const struct swi_node *node)
{
    r->profile.save_csv_at = node;
    read_bool(r, node, "save_csv", &r->profile.save_csv);
}

static void read_csv_name(struct reader *r, const struct swi_node *node)
{
    if (is_text(r, node, "csv_name", "a file's name"))
        r->profile.csv_name = node;
}

/* ---- mappings of known keys ---------------------------------------------------------------------
 */

static void unknown_key(struct reader *r, const struct swi_node *node, const char *what,
                        const struct key *keys, size_t count)
{
    const char *names[32];
    char all[512] = "";
    for (size_t i = 0; i < count; i++) {
        names[i] = keys[i].name;
        snprintf(all + strlen(all), sizeof all - strlen(all), "%s%s", i ? ", " : "", keys[i].name);
    }
    const char *nearest = swi_nearest(node->text, names, count);
    if (nearest)
        wrong(r, node, "unknown key %s in %s: did you mean %s?", SWI_NODE_SHOWN(node), what,
              nearest);
    else
        wrong(r, node, "unknown key %s in %s; it has %s", SWI_NODE_SHOWN(node), what, all);
}

static void read_mapping(struct reader *r, const struct swi_node *node, const char *what,
                         const struct key *keys, size_t count)
{
    for (size_t i = 0; i < node->count; i++) {
        const struct swi_node *key = node->item[i].key;
        size_t k = 0;
        while (k < count && strcmp(keys[k].name, key->text) != 0)
            k++;
        if (k < count)
            keys[k].read(r, node->item[i].value);
        else
            unknown_key(r, key, what, keys, count);
    }
}

#define COUNT(array) (sizeof(array) / sizeof *(array))

static const struct key profiler_keys[] = {
    {"mode", read_mode},
    {"rolling_average", read_rolling},
    {"drop_first_batch", read_drop},
    {"show_report", read_show_report},
    {"plain", read_plain},
    {"markdown", read_markdown},
    {"save_csv", read_save_csv},
    {"csv_name", read_csv_name},
    {"accounting", read_accounting},
    {"signals", read_signals},
    {"close_timeout", read_timeout},
};

static void read_profiler(struct reader *r, const struct swi_node *node)
{
    if (node->kind == SWI_NODE_MAPPING)
        read_mapping(r, node, "profiler", profiler_keys, COUNT(profiler_keys));
    else if (node->kind == SWI_NODE_LIST || node->is_null)
        wrong(r, node, "profiler: %s where throughput, simple, off or a mapping was expected",
              SWI_NODE_SHOWN(node));
    else
        read_mode(r, node);
}

/* ---- logger_callback ----------------------------------------------------------------------------
 */

static struct swi_sink_settings *sink_add(struct reader *r, const char *name,
                                          const struct swi_where *where)
{
    struct swi_settings *s = r->settings;
    struct swi_sink_settings *sink = realloc(s->sink, (s->sink_count + 1) * sizeof *sink);
    r->no_memory |= !sink;
    if (!sink)
        return NULL;
    s->sink = sink;
    sink += s->sink_count;
    *sink = (struct swi_sink_settings){.name = copy(r, name), .where = *where};
    s->sink_count += sink->name != NULL;
    return sink->name ? sink : NULL;
}

static bool scalar_set(struct reader *r, struct swi_scalar *scalar, const struct swi_node *node)
{
    *scalar = (struct swi_scalar){.text = copy(r, node->text),
                                  .quoted = node->quoted,
                                  .is_null = node->is_null,
                                  .where = node->where};
    return scalar->text != NULL;
}

/* Only texts and lists of texts can be an option's value. */
static bool option_value_check(struct reader *r, const char *sink, const char *name,
                               const struct swi_node *value)
{
    bool fine = value->kind != SWI_NODE_MAPPING;
    if (!fine)
        wrong(r, value, "sink %s: %s: a mapping where a value or a list of values was expected",
              sink, SWI_SHOWN(name));
    for (size_t i = 0; value->kind == SWI_NODE_LIST && i < value->count; i++)
        if (value->item[i].value->kind != SWI_NODE_TEXT) {
            wrong(r, value->item[i].value, "sink %s: %s: %s where a value was expected", sink,
                  SWI_SHOWN(name), SWI_NODE_SHOWN(value->item[i].value));
            fine = false;
        } else {
            fine &= !value->item[i].value->wrong;
        }
    return fine && !value->wrong;
}

static void setting_add(struct reader *r, struct swi_sink_settings *sink, const char *name,
                        const struct swi_where *where, const struct swi_node *value)
{
    size_t count = value->kind == SWI_NODE_LIST ? value->count : 1;
    struct swi_setting *setting = realloc(sink->setting, (sink->count + 1) * sizeof *setting);
    r->no_memory |= !setting;
    if (!setting)
        return;
    sink->setting = setting;
    setting += sink->count++;
    *setting = (struct swi_setting){
        .name = copy(r, name), .where = *where, .is_list = value->kind == SWI_NODE_LIST};
    setting->value = calloc(count + 1, sizeof *setting->value);
    r->no_memory |= !setting->value;
    for (size_t i = 0; setting->value && i < count; i++)
        if (scalar_set(r, &setting->value[i], setting->is_list ? value->item[i].value : value))
            setting->count++;
}

static void sink_options(struct reader *r, struct swi_sink_settings *sink,
                         const struct swi_node *options)
{
    if (options->kind == SWI_NODE_TEXT && options->is_null)
        return;
    if (options->kind != SWI_NODE_MAPPING) {
        wrong(r, options, "sink %s: %s where its options, a mapping, were expected",
              SWI_SHOWN(sink->name), SWI_NODE_SHOWN(options));
        return;
    }
    for (size_t i = 0; i < options->count; i++) {
        const struct swi_item *item = &options->item[i];
        if (option_value_check(r, sink->name, item->key->text, item->value))
            setting_add(r, sink, item->key->text, &item->key->where, item->value);
    }
}

static void sink_named(struct reader *r, const struct swi_node *name,
                       const struct swi_node *options)
{
    struct swi_sink_settings *sink = name->wrong ? NULL : sink_add(r, name->text, &name->where);
    if (sink && options)
        sink_options(r, sink, options);
}

static void sinks_of_mapping(struct reader *r, const struct swi_node *node)
{
    for (size_t i = 0; i < node->count; i++)
        sink_named(r, node->item[i].key, node->item[i].value);
}

static void read_sink(struct reader *r, const struct swi_node *node)
{
    if (node->kind == SWI_NODE_TEXT && !node->is_null)
        sink_named(r, node, NULL);
    else if (node->kind == SWI_NODE_MAPPING && node->count)
        sinks_of_mapping(r, node);
    else
        wrong(r, node, "logger_callback: %s where a sink's name or NAME: {options} was expected",
              SWI_NODE_SHOWN(node));
}

static void read_loggers(struct reader *r, const struct swi_node *node)
{
    if (node->kind != SWI_NODE_LIST) {
        if (!node->is_null)
            read_sink(r, node);
        return;
    }
    for (size_t i = 0; i < node->count; i++)
        read_sink(r, node->item[i].value);
}

/* ---- plugin_path and name -----------------------------------------------------------------------
 */

static void path_add(struct reader *r, const struct swi_node *node)
{
    struct swi_settings *s = r->settings;
    if (!is_text(r, node, "plugin_path", "a folder"))
        return;
    if (!*node->text) {
        wrong(r, node, "plugin_path: \"\" is no folder; this file's folder is \".\"");
        return;
    }
    char **path = realloc(s->plugin_path, (s->plugin_path_count + 1) * sizeof(*path));
    char *absolute = NULL;
    if (path)
        s->plugin_path = path;
    if (path && *node->text == '/')
        absolute = copy(r, node->text);
    else if (path && asprintf(&absolute, "%s/%s", s->directory, node->text) < 0)
        absolute = NULL;
    r->no_memory |= !absolute;
    if (absolute)
        path[s->plugin_path_count++] = absolute;
}

static void read_plugin_path(struct reader *r, const struct swi_node *node)
{
    if (node->kind != SWI_NODE_LIST) {
        path_add(r, node);
        return;
    }
    for (size_t i = 0; i < node->count; i++)
        path_add(r, node->item[i].value);
}

static void read_name(struct reader *r, const struct swi_node *node)
{
    if (!is_text(r, node, "name", "a run's name"))
        return;
    free(r->settings->name);
    r->settings->name = copy(r, node->text);
}

static const struct key top_keys[] = {
    {"profiler", read_profiler},
    {"logger_callback", read_loggers},
    {"plugin_path", read_plugin_path},
    {"name", read_name},
};

/* ---- the sinks that the profiler's own keys add -------------------------------------------------
 */

static const struct swi_sink_settings *sink_find(const struct swi_settings *s, const char *name)
{
    for (size_t i = 0; i < s->sink_count; i++)
        if (strcmp(s->sink[i].name, name) == 0)
            return &s->sink[i];
    return NULL;
}

/* Where a message about an added sink points at: the key that added it, if it stands in the file.
 */
static struct swi_where added_where(const struct reader *r, const struct swi_node *node)
{
    if (node)
        return node->where;
    return (struct swi_where){.file = r->settings->file};
}

static struct swi_sink_settings *sink_add_once(struct reader *r, bool wanted, const char *name,
                                               const struct swi_node *at)
{
    struct swi_where where = added_where(r, at);
    return wanted && !sink_find(r->settings, name) ? sink_add(r, name, &where) : NULL;
}

static void sinks_add(struct reader *r)
{
    const struct profile *p = &r->profile;
    struct swi_sink_settings *table = sink_add_once(r, p->show_report, "table", p->show_report_at);
    sink_add_once(r, p->markdown, "markdown", p->markdown_at);
    struct swi_sink_settings *csv = sink_add_once(r, p->save_csv, "csv", p->save_csv_at);
    /* The last one added may have moved the others. */
    if (csv && p->csv_name)
        setting_add(r, csv, "path", &p->csv_name->where, p->csv_name);
    if (table && p->plain_at && p->plain)
        setting_add(r, (struct swi_sink_settings *)sink_find(r->settings, "table"), "plain",
                    &p->plain_at->where, p->plain_at);
}

static void defaults(struct swi_settings *settings)
{
    settings->mode = SW_MODE_THROUGHPUT;
    settings->rolling_average = 10;
    settings->drop_first_batch = true;
    settings->accounting = true;
    settings->signals = true;
    settings->close_timeout_ns = INT64_C(5000000000);
}

int swi_schema_read(const struct swi_tree *tree, struct swi_settings *settings,
                    struct swi_mistakes *mistakes, struct sw_error *err)
{
    struct reader r = {.settings = settings, .mistakes = mistakes, .profile.show_report = true};
    const struct swi_node *root = tree->root;
    defaults(settings);
    if (root && root->kind == SWI_NODE_MAPPING)
        read_mapping(&r, root, "the configuration", top_keys, COUNT(top_keys));
    else if (root && !root->is_null)
        wrong(&r, root,
              "%s where a mapping of profiler, logger_callback, plugin_path and name was "
              "expected",
              SWI_NODE_SHOWN(root));
    sinks_add(&r);
    return r.no_memory ? sw_error_set(err, SW_ENOMEM, "no memory for the configuration") : 0;
}
