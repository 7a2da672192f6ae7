/* SPDX-License-Identifier: MIT */
#include "core/delivery/output_conflicts.h"
#include "core/files/target.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static struct swi_where where_of(const struct swi_sink_settings *sink, const char *option)
{
    for (size_t i = 0; i < sink->count; i++)
        if (strcmp(sink->setting[i].name, option) == 0 && sink->setting[i].where.line)
            return sink->setting[i].where;
    return sink->where;
}

const char *swi_output_path(const struct sw_sink_plugin *plugin, const void *state)
{
    if (plugin->path_is_folder && plugin->path_is_folder(state))
        return NULL;
    for (const struct sw_option *option = plugin->options; option && option->name; option++)
        if (option->type == SW_OPTION_PATH && strcmp(option->name, "path") == 0)
            return *(const char *const *)((const char *)state + option->offset);
    return NULL;
}

struct swi_output swi_output_of(const struct sw_sink_plugin *plugin, const void *state,
                                const char *instance, const struct swi_sink_settings *sink)
{
    struct swi_output output = {.path = swi_output_path(plugin, state)};
    output.where = where_of(sink, "path");
    output.sink = output.path ? instance : NULL;
    return output;
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

/* Returns false if the output may be shared, or if its file is not known. */
static bool file_of(const struct swi_settings *settings, const struct swi_output *output,
                    char file[PATH_MAX])
{
    struct stat st;
    if (!output->sink || strcmp(output->path, "-") == 0 ||
        !absolute_make(file, settings->directory ? settings->directory : "", output->path))
        return false;
    if (stat(file, &st) == 0 && !S_ISREG(st.st_mode))
        return false;
    links_follow(file);
    dots_remove(file);
    return true;
}

static void mistake_add(const struct swi_output *output, const struct swi_output *earlier,
                        struct swi_mistakes *mistakes)
{
    swi_mistakes_add(mistakes, &output->where,
                     "sink %s: path: sink %s already writes to that file; each sink needs its own "
                     "file: name another path",
                     output->sink, earlier->sink);
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

void swi_outputs_try(const struct sw_sink_plugin *plugin, const void *state,
                     const struct swi_sink_settings *sink, const char *directory,
                     struct swi_mistakes *mistakes)
{
    for (const struct sw_option *option = plugin->options; option && option->name; option++) {
        char known[PATH_MAX], absolute[PATH_MAX];
        SW_ERROR_SCOPE(err);
        const char *path =
            is_output(option) ? *(const char *const *)((const char *)state + option->offset) : NULL;
        if (!path || !*path || strcmp(path, "-") == 0)
            continue;
        snprintf(known, sizeof known, "%.*s", before_placeholders(path), path);
        if (!absolute_make(absolute, directory ? directory : "", *known ? known : "."))
            continue;
        bool file = swi_output_path(plugin, state) == path ||
                    strcmp(option->name, "database") == 0 || is_shared_file(option, absolute);
        struct swi_where where = where_of(sink, option->name);
        if (swi_target_try(absolute, !file || strchr(path, '{'), &err) < 0)
            swi_mistakes_add(mistakes, &where, "sink %s: %s: %s", sink->name, option->name,
                             sw_error_text(&err));
    }
}

void swi_output_conflicts_check(const struct swi_settings *settings,
                                const struct swi_output *output, size_t count,
                                struct swi_mistakes *mistakes)
{
    char(*file)[PATH_MAX] = calloc(count + 1, sizeof *file);
    for (size_t i = 0; file && i < count; i++) {
        if (!file_of(settings, &output[i], file[i])) {
            *file[i] = '\0';
            continue;
        }
        for (size_t k = 0; k < i; k++) {
            if (strcmp(file[k], file[i]) == 0) {
                mistake_add(&output[i], &output[k], mistakes);
                break;
            }
        }
    }
    free(file);
}
