/* SPDX-License-Identifier: MIT */
#include "tools/functions/files.h"
#include "core/files/in_place.h"
#include "core/text/parts.h"
#include "sinks/common/functions/export_formats.h"
#include "tools/output/print.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- the profile that is given to a command -------------------------------------------------- */

static int is_profile(const struct dirent *entry)
{
    return entry->d_name[0] != '.' && swi_ends(entry->d_name, ".functions");
}

static int64_t changed_ns(const char *path)
{
    struct stat status;
    if (stat(path, &status) != 0)
        return -1;
    return (int64_t)status.st_mtim.tv_sec * 1000000000 + status.st_mtim.tv_nsec;
}

/* Returns the newest profile of a folder, or NULL. */
static char *newest(const char *folder, size_t *others)
{
    struct dirent **entry;
    char *best = NULL;
    int64_t best_ns = -1;
    int count = scandir(folder, &entry, is_profile, alphasort);
    for (int i = 0; i < count; i++) {
        char *path = NULL;
        if (asprintf(&path, "%s/%s", folder, entry[i]->d_name) < 0)
            path = NULL;
        int64_t ns = path ? changed_ns(path) : -1;
        if (ns > best_ns) {
            free(best);
            best = path;
            best_ns = ns;
        } else {
            free(path);
        }
        free(entry[i]);
    }
    if (count >= 0)
        free(entry);
    *others = count > 0 ? (size_t)count - 1 : 0;
    return best;
}

static int path_choose(struct profile_source *source, const char *path, struct sw_error *err)
{
    struct stat status;
    if (stat(path, &status) != 0)
        return sw_error_set(err, SW_EIO, "%s: %s", path, strerror(errno));
    bool folder = S_ISDIR(status.st_mode);
    source->path = folder ? newest(path, &source->others) : strdup(path);
    if (!source->path)
        return folder ? sw_error_set(err, SW_EINVAL,
                                     "%s: there is no function profile (*.functions)", path)
                      : sw_error_set(err, SW_ENOMEM, "not enough memory");
    const char *slash = strrchr(source->path, '/');
    source->folder =
        slash ? strndup(source->path, (size_t)(slash - source->path) + (slash == source->path))
              : strdup(".");
    return source->folder ? 0 : sw_error_set(err, SW_ENOMEM, "not enough memory");
}

/* ---- a file ---- */

static int file_read(struct profile_source *source, void (*without_lines)(const char *object),
                     struct sw_error *err)
{
    struct profile_file file;
    int rc = profile_file_open(&file, source->path, err);
    if (rc < 0)
        return rc;
    source->is_prof = !profile_is(file.data, file.size);
    rc = source->is_prof ? prof_read(file.data, file.size, &source->stats, err)
                         : profile_file_read(&file, &source->profile, without_lines, err);
    profile_file_close(&file);
    return rc;
}

int source_open(struct profile_source *source, const char *path,
                void (*without_lines)(const char *object), struct sw_error *err)
{
    *source = (struct profile_source){0};
    int rc = path_choose(source, path, err);
    if (rc < 0)
        return rc;
    rc = file_read(source, without_lines, err);
    if (rc < 0)
        sw_error_prefix(err, "%s", source->path);
    return rc;
}

void source_free(struct profile_source *source)
{
    if (source->is_prof)
        stats_free(&source->stats);
    else
        profile_free(&source->profile);
    free(source->path);
    free(source->folder);
}

/* ---- which profiles a program made ----------------------------------------------------------- */

static size_t made_count;

void no_debug_say(const char *object)
{
    say(NULL,
        "%s has no debug information, so its functions have no file and line (compile it with -g)",
        object);
}

static void files_make(const struct profile_source *source)
{
    SW_ERROR_SCOPE(err);
    int count = files_write(&source->profile, source->folder, "prof", NULL, &err);
    if (count < 0)
        say_error("run", &err);
    else if (count == 0)
        say(NULL, "stepwatch: %s", profile_empty_text(&source->profile));
    else
        say(NULL,
            "stepwatch: functions made whole.prof and %d more beside it (snakeviz shows them)",
            count - 1);
}

void profiles_made(const char *path)
{
    struct profile_source source;
    SW_ERROR_SCOPE(err);
    say(NULL, "stepwatch: functions wrote to %s (stepwatch functions shows it)", path);
    if (made_count++)
        return;
    if (source_open(&source, path, no_debug_say, &err) < 0)
        say_error("run", &err);
    else if (!source.is_prof)
        files_make(&source);
    source_free(&source);
}

size_t profiles_count(void)
{
    return made_count;
}

/* ---- files ----------------------------------------------------------------------------------- */

static bool is_listed(const char *formats, const char *name)
{
    for (const char *at = formats; *at;) {
        size_t size = strcspn(at, ",");
        if (size == strlen(name) && strncmp(at, name, size) == 0)
            return true;
        at += size + (at[size] == ',');
    }
    return false;
}

int files_check(const char *formats, struct sw_error *err)
{
    for (const char *at = formats; *at;) {
        size_t size = strcspn(at, ",");
        bool known = false;
        for (const struct export_format *format = export_formats; format->name; format++)
            known |= strlen(format->name) == size && strncmp(at, format->name, size) == 0;
        if (!known)
            return sw_error_set(err, SW_EINVAL,
                                "unknown format \"%.*s\": expected prof, folded, speedscope, "
                                "callgrind or pprof",
                                (int)size, at);
        at += size + (at[size] == ',');
    }
    return 0;
}

/* Writes a file completely or not at all, so that an open viewer never sees half a file. */
static int file_write(const struct tree *tree, const struct exported_run *about, const char *path,
                      const struct export_format *format, struct sw_error *err)
{
    char *part = NULL;
    if (asprintf(&part, "%s.%d.part", path, (int)getpid()) < 0)
        return sw_error_set(err, SW_ENOMEM, "not enough memory");
    FILE *out = fopen(part, "wxe");
    bool fine = out && format->write(out, tree, about);
    int why = out ? 0 : errno;
    if (out && (ferror(out) || fclose(out) != 0)) {
        why = errno ? errno : EIO;
        fine = false;
    }
    if (fine && swi_rename_or_copy(part, path) != 0) {
        why = errno;
        fine = false;
    }
    if (!fine)
        unlink(part);
    free(part);
    if (fine)
        return 1;
    return sw_error_set(err, why ? SW_EIO : SW_ENOMEM, "%s: %s", path,
                        why ? strerror(why) : "not enough memory");
}

/* Which files are written. */
struct files {
    const char *folder, *formats;
    json_t *made; /* the path of each file; or NULL */
    struct swi_map taken;
};

static int formats_write(const struct tree *tree, const struct exported_run *about,
                         const struct files *files, const char *file, struct sw_error *err)
{
    int count = 0;
    for (const struct export_format *format = export_formats; format->name; format++) {
        char *path = NULL;
        if (!is_listed(files->formats, format->name))
            continue;
        if (asprintf(&path, "%s/%s%s", files->folder, file, format->ending) < 0)
            return sw_error_set(err, SW_ENOMEM, "not enough memory");
        int rc = file_write(tree, about, path, format, err);
        if (rc >= 0 && files->made)
            json_array_append_new(files->made, text_json(path));
        free(path);
        if (rc < 0)
            return rc;
        count += rc;
    }
    return count;
}

static int tree_write(const struct profile *profile, int action, const char *name,
                      struct files *files, struct sw_error *err)
{
    struct tree tree;
    struct exported_run about = {name, profile->program, profile->times == FN_SAMPLE};
    char *file = action == PROFILE_WHOLE ? strdup(name) : function_file_name(&files->taken, name);
    int rc = 0;
    if (!file || !tree_make(&tree, profile, action))
        rc = sw_error_set(err, SW_ENOMEM, "not enough memory for a profile");
    /* pstats refuses a profile without functions. */
    else if (tree.stats.count)
        rc = formats_write(&tree, &about, files, file, err);
    if (file)
        tree_free(&tree);
    free(file);
    return rc;
}

int files_write(const struct profile *profile, const char *folder, const char *formats,
                json_t *made, struct sw_error *err)
{
    struct files files = {.folder = folder, .formats = formats, .made = made};
    mkdir(folder, 0777);
    int count = tree_write(profile, PROFILE_WHOLE, "whole", &files, err);
    for (size_t i = 0; i < profile->action_count && count >= 0; i++) {
        const struct action *action = &profile->action[i];
        if (!action->begins && profile->times != FN_SAMPLE)
            continue;
        int more = tree_write(profile, action->number, action->name, &files, err);
        count = more < 0 ? more : count + more;
    }
    swi_map_free(&files.taken);
    return count;
}
