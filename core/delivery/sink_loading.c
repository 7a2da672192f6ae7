/* SPDX-License-Identifier: MIT */
#include "core/delivery/sink_loading.h"

#include "core/delivery/monitor.h"
#include "core/files/file.h"
#include "core/plugins/search.h"
#include "core/plugins/option_parse.h"
#include "core/plugins/options.h"
#include "core/text/number.h"
#include "core/text/printable.h"

#include <stepwatch/sink.h>

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

const char *swi_output_path(const struct sw_sink_plugin *plugin, const void *state)
{
    if (plugin->path_is_folder && plugin->path_is_folder(state))
        return NULL;
    for (const struct sw_option *option = plugin->options; option && option->name; option++)
        if (option->type == SW_OPTION_PATH && strcmp(option->name, "path") == 0)
            return swi_option_text(option, state);
    return NULL;
}

/* ---- which file a path is -------------------------------------------------------------------- */

static bool absolute_make(char absolute[PATH_MAX], const char *directory, const char *path)
{
    bool whole = *path == '/';
    int n = snprintf(absolute, PATH_MAX, "%s%s%s", whole ? "" : directory, whole ? "" : "/", path);
    return n > 0 && n < PATH_MAX;
}

/* Removes "//", "/./" and "name/.." from an absolute path. */
static void dots_remove(char *path)
{
    char *end = path;
    for (const char *at = path + strspn(path, "/"); *at; at += strspn(at, "/")) {
        size_t length = strcspn(at, "/");
        if (length == 2 && memcmp(at, "..", 2) == 0) {
            while (end > path && *--end != '/')
                continue;
        } else if (length != 1 || *at != '.') {
            *end = '/';
            memmove(end + 1, at, length);
            end += length + 1;
        }
        at += length;
    }
    *end = '\0';
}

/* Resolves links in the existing part of an absolute path. */
static void links_follow(char path[PATH_MAX])
{
    char real[PATH_MAX], whole[2 * PATH_MAX];
    SW_ERROR_SCOPE(refused);
    (void)swi_target_follow(path, &refused); /* a link that another user has planted stays */
    for (char *slash = strrchr(path, '/'); slash && slash > path;) {
        *slash = '\0';
        bool there = realpath(path, real) != NULL;
        char *before = strrchr(path, '/');
        *slash = '/';
        if (there) {
            int n = snprintf(whole, sizeof whole, "%s%s", strcmp(real, "/") ? real : "", slash);
            if (n < PATH_MAX)
                memcpy(path, whole, (size_t)n + 1);
            return;
        }
        slash = before;
    }
}

/* Returns false if the output may be shared, or if its file is not known. path: as configured. */
static bool file_of(const struct swi_settings *settings, const char *path, char file[PATH_MAX])
{
    struct stat st;
    if (!path || strcmp(path, "-") == 0 ||
        !absolute_make(file, settings->directory ? settings->directory : "", path))
        return false;
    if (stat(file, &st) == 0 && !S_ISREG(st.st_mode))
        return false;
    links_follow(file);
    dots_remove(file);
    return true;
}

/* ---- which files can be written -------------------------------------------------------------- */

static bool is_output(const struct sw_option *option)
{
    static const char *const names[] = {"path", "logdir", "dir", "database"};
    bool output = false;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        output = output || strcmp(option->name, names[i]) == 0;
    return output && option->type == SW_OPTION_PATH;
}

/* The folders of a path before its first placeholder; all of it without one. */
static int before_placeholders(const char *path)
{
    const char *brace = strchr(path, '{');
    while (brace && brace > path && *brace != '/')
        brace--;
    return brace ? (int)(brace - path) + (*brace == '/' && brace == path) : (int)strlen(path);
}

/* A path that all ranks write to is a folder, or a file such as a database. */
static bool is_shared_file(const struct sw_option *option, const char *path)
{
    struct stat st;
    return strcmp(option->name, "path") == 0 && stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

/* Adds a mistake for each option that names an output which cannot be written: `path`, `logdir`,
 * `dir` and `database`. What begins with a placeholder is not known yet. directory: the working
 * folder of the run. */
static void outputs_try(const struct sw_sink_plugin *plugin, const void *state,
                        const struct swi_sink_settings *sink, const char *directory,
                        struct swi_mistakes *mistakes)
{
    for (const struct sw_option *option = plugin->options; option && option->name; option++) {
        char known[PATH_MAX], absolute[PATH_MAX];
        SW_ERROR_SCOPE(err);
        const char *path = is_output(option) ? swi_option_text(option, state) : NULL;
        if (!path || !*path || strcmp(path, "-") == 0)
            continue;
        int length = snprintf(known, sizeof known, "%.*s", before_placeholders(path), path);
        struct swi_where where = swi_setting_where(sink, option->name);
        if (length >= (int)sizeof known ||
            !absolute_make(absolute, directory ? directory : "", *known ? known : ".")) {
            swi_mistakes_add(mistakes, &where,
                             "sink %s: %s: the path is too long: expected at most %d bytes",
                             sink->name, option->name, PATH_MAX - 1);
            continue;
        }
        bool file = swi_output_path(plugin, state) == path ||
                    strcmp(option->name, "database") == 0 || is_shared_file(option, absolute);
        if (swi_target_try(absolute, !file || strchr(path, '{'), &err) < 0)
            swi_mistakes_add(mistakes, &where, "sink %s: %s: %s", sink->name, option->name,
                             sw_error_text(&err));
    }
}

/* ---- the report as plain text, for a program whose sink `table` cannot be loaded ------------- */

/* Takes the place of the sink. It has no options. */
extern const struct sw_sink_plugin swi_spare_table;

struct spare_table {
    struct sw_sink *sink;
};

enum { NAME_WIDTH = 24, CELL_WIDTH = 12 };

typedef void number_fn(struct swi_text *text, double value);

static void number_add(struct swi_text *text, number_fn *number, double value)
{
    struct swi_text cell = {0};
    number(&cell, value);
    swi_text_right(text, cell.data ? cell.data : "", CELL_WIDTH);
    swi_text_free(&cell);
}

static void count_of(struct swi_text *text, double value)
{
    swi_number_count(text, (int64_t)value);
}

static void row_add(struct swi_text *text, const struct sw_report_row *row)
{
    swi_text_left(text, row->phase, CELL_WIDTH);
    swi_text_left(text, SWI_PRINTABLE(row->action), NAME_WIDTH);
    number_add(text, swi_number_time, row->mean_ns / 1e9);
    number_add(text, swi_number_time, row->std_ns / 1e9);
    number_add(text, count_of, (double)row->calls);
    number_add(text, swi_number_time, row->total_ns / 1e9);
    number_add(text, swi_number_percent, row->share);
    number_add(text, swi_number_rate, row->samples_per_s);
    swi_text_put(text, "\n");
}

static void head_add(struct swi_text *text)
{
    static const char *const heads[] = {"Mean", "Std", "Calls", "Total", "Of fit", "Samples/s"};
    swi_text_left(text, "Phase", CELL_WIDTH);
    swi_text_left(text, "Action", NAME_WIDTH);
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
        swi_text_right(text, heads[i], CELL_WIDTH);
    swi_text_put(text, "\n");
}

static int spare_open(void *state, struct sw_sink *sink, struct sw_error *err)
{
    (void)err;
    ((struct spare_table *)state)->sink = sink;
    return 0;
}

/* Only the first rank prints, like the sink. */
static int spare_record(void *state, const struct sw_record *record, struct sw_error *err)
{
    struct sw_sink *sink = ((struct spare_table *)state)->sink;
    struct swi_text text = {0};
    if (!record->report || sink->run->rank > 0)
        return 0;
    head_add(&text);
    for (size_t i = 0; i < record->report->count; i++)
        row_add(&text, sw_report_row(record->report, i));
    int rc = text.failed ? sw_error_set(err, SW_ENOMEM, "not enough memory for the report")
                         : sw_sink_replace(sink, "-", text.data, text.size, err);
    swi_text_free(&text);
    return rc;
}

const struct sw_sink_plugin swi_spare_table = {
    SW_SINK_HEADER,
    .name = "table",
    .version = "1.0",
    .license = "MIT",
    .summary = "the report of each fit as plain text, where the sink table cannot be loaded",
    .wants = SW_WANT(SW_RECORD_REPORT),
    .state_size = sizeof(struct spare_table),
    .open = spare_open,
    .record = spare_record,
};

/* ---- makes a worker of each sink in the settings: loads its plugin and fills its options ----- */

/* Returns "csv" for the first instance of a plugin, "csv-2" for the second. */
static char *instance_name(const struct swi_settings *settings, size_t index)
{
    const char *plugin = settings->sink[index].name;
    size_t number = 1;
    char *name = NULL;
    for (size_t i = 0; i < index; i++)
        number += strcmp(settings->sink[i].name, plugin) == 0;
    if (number == 1)
        return strdup(plugin);
    return asprintf(&name, "%s-%zu", plugin, number) < 0 ? NULL : name;
}

static int plugin_load(struct swi_plugin *plugin, struct swi_loading *loading, const char *name,
                       struct sw_error *err)
{
    char warning[1024] = "";
    if (loading->trial)
        return swi_plugin_try(&swi_kind_sink, plugin, &loading->search, name, err);
    int rc = swi_plugin_load(&swi_kind_sink, plugin, &loading->search, name, warning,
                             sizeof warning, err);
    if (rc >= 0 && *warning && loading->messages)
        swi_say(loading->messages, SW_WARNING, "%s", warning);
    return rc;
}

static void options_read(struct swi_worker *worker, const struct swi_loading *loading,
                         const struct swi_sink_settings *sink)
{
    const struct sw_sink_plugin *plugin = worker->plugin.sink;
    struct swi_mistakes *mistakes = loading->mistakes;
    int rc =
        swi_options_fill(&swi_kind_sink, plugin, sink, worker->state, &worker->strings, mistakes);
    swi_placeholders_check(plugin, sink, worker->state, loading->has_id, mistakes);
    if (rc == 0)
        swi_sink_check(plugin, worker->state, sink, loading->settings->directory, loading->remarks,
                       mistakes);
    if (rc == 0 && loading->remarks)
        outputs_try(plugin, worker->state, sink, loading->settings->directory, mistakes);
}

/* Takes the spare in place of a plugin that cannot be loaded: a program must not lose its report
 * because of how somebody has installed it. A check reports the mistake, and a static program must
 * be linked in another way. */
static bool spare_take(struct swi_worker *worker, const struct swi_loading *loading,
                       const struct swi_sink_settings *sink, struct sw_error *err)
{
    bool spared = sink->spared && loading->messages && !loading->trial && !swi_linked_statically();
    char *path = spared ? strdup("built in") : NULL;
    if (!path)
        return false;
    worker->plugin = (struct swi_plugin){.any = &swi_spare_table, .path = path};
    swi_say(loading->messages, SW_WARNING, "%s; the report is printed as plain text",
            sw_error_text(err));
    return true;
}

/* Loads the plugin and fills its options. Adds mistakes. */
static void worker_load(struct swi_worker *worker, struct swi_loading *loading,
                        const struct swi_sink_settings *sink)
{
    SW_ERROR_SCOPE(err);
    struct swi_mistakes *mistakes = loading->mistakes;
    int rc = plugin_load(&worker->plugin, loading, sink->name, &err);
    bool is_spare = rc < 0 && spare_take(worker, loading, sink, &err);
    if (rc < 0 && !is_spare) {
        swi_mistakes_add(mistakes, &sink->where, "%s", sw_error_text(&err));
        return;
    }
    const struct sw_sink_plugin *plugin = worker->plugin.sink;
    worker->state = calloc(1, plugin->state_size ? plugin->state_size : 1);
    if (!worker->state)
        swi_mistakes_add(mistakes, &sink->where,
                         "sink %s: not enough memory for its %zu bytes of state", sink->name,
                         plugin->state_size);
    else if (!is_spare)
        options_read(worker, loading, sink);
    if (loading->messages)
        swi_sink_monitor_load(worker, loading->settings, &loading->search);
}

struct swi_worker *swi_sink_load(struct swi_loading *loading, size_t index)
{
    const struct swi_settings *settings = loading->settings;
    struct swi_worker *worker = calloc(1, sizeof *worker);
    if (!worker || !(worker->name = instance_name(settings, index))) {
        free(worker);
        return NULL;
    }
    worker->messages = loading->messages;
    worker_load(worker, loading, &settings->sink[index]);
    return worker;
}

/* Standard output and devices may be shared. */
void swi_sinks_check_outputs(struct swi_worker *const *sinks, size_t count,
                             const struct swi_settings *settings, struct swi_mistakes *mistakes)
{
    char(*file)[PATH_MAX] = calloc(count + 1, sizeof *file);
    for (size_t i = 0; file && i < count; i++) {
        const struct swi_worker *worker = sinks[i];
        const char *path =
            worker->state ? swi_output_path(worker->plugin.sink, worker->state) : NULL;
        size_t earlier = 0;
        if (!file_of(settings, path, file[i])) {
            *file[i] = '\0';
            continue;
        }
        while (strcmp(file[earlier], file[i]) != 0)
            earlier++;
        struct swi_where where = swi_setting_where(&settings->sink[i], "path");
        if (earlier < i)
            swi_mistakes_add(mistakes, &where,
                             "sink %s: path: sink %s already writes to that file; each sink needs "
                             "its own file: name another path",
                             worker->name, sinks[earlier]->name);
    }
    free(file);
}
