/* SPDX-License-Identifier: MIT */
#include "core/plugins/search.h"

#include "core/plugins/option_parse.h"
#include "core/plugins/trust.h"
#include "core/text/path_text.h"
#include "core/text/vec.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- lists ----------------------------------------------------------------------------------- */

void swi_list_add(struct swi_list *list, const char *text, size_t length)
{
    if (!swi_vec_room(&list->item, list->count, sizeof *list->item))
        return;
    list->item[list->count] = strndup(text, length);
    list->count += list->item[list->count] != NULL;
}

void swi_list_fini(struct swi_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        free(list->item[i]);
    free(list->item);
    *list = (struct swi_list){0};
}

/* ---- the search path ------------------------------------------------------------------------- */

/* A shell that quotes the variable leaves the ~ in it. */
static void add_below_home(struct swi_list *folders, const char *entry, size_t length)
{
    char *text = strndup(entry, length);
    char *path = text ? swi_path_text_expand(text, secure_getenv("HOME")) : NULL;
    if (path && *path == '/')
        swi_list_add(folders, path, strlen(path));
    free(path);
    free(text);
}

/* Adds absolute entries only: an empty or relative one would depend on where the program was
 * started. In a setuid program the environment comes from the caller, and secure_getenv() returns
 * NULL. */
static void add_environment(struct swi_list *folders, struct swi_list *ignored)
{
    const char *at = secure_getenv("STEPWATCH_PLUGIN_PATH");
    while (at && *at) {
        size_t n = strcspn(at, ":");
        if (*at == '/')
            swi_list_add(folders, at, n);
        else if (strncmp(at, "~/", 2) == 0)
            add_below_home(folders, at, n);
        else if (n && ignored)
            swi_list_add(ignored, at, n);
        at += n + (at[n] == ':');
    }
}

/* Removes folders that are named twice. */
static void unique(struct swi_list *list)
{
    size_t kept = 0;
    for (size_t i = 0; i < list->count; i++) {
        size_t k = 0;
        while (k < kept && strcmp(list->item[k], list->item[i]) != 0)
            k++;
        if (k < kept)
            free(list->item[i]);
        else
            list->item[kept++] = list->item[i];
    }
    list->count = kept;
}

/* Adds the folder that belongs to the library if the whole installation was moved, or if the
 * library was found in a tree of links. */
static void add_beside(struct swi_list *folders, const char *library)
{
    static const char installed[] = SINKDIR;
    char path[2 * PATH_MAX];
    struct stat beside, usual;
    const char *below = strrchr(installed, '/');
    while (below && below > installed && *--below != '/')
        continue;
    int n = snprintf(path, sizeof path, "%.*s%s", (int)(strrchr(library, '/') - library), library,
                     below ? below : "");
    if (stat(path, &beside) == 0 && S_ISDIR(beside.st_mode) &&
        (stat(installed, &usual) != 0 || beside.st_dev != usual.st_dev ||
         beside.st_ino != usual.st_ino))
        swi_list_add(folders, path, (size_t)n);
}

static void add_installed(struct swi_list *folders)
{
    char library[PATH_MAX], real[PATH_MAX];
    if (swi_own_library(library)) {
        add_beside(folders, library);
        if (realpath(library, real))
            add_beside(folders, real);
    }
    swi_list_add(folders, SINKDIR, strlen(SINKDIR));
}

struct swi_list swi_folders(const struct swi_settings *settings, struct swi_list *ignored)
{
    struct swi_list folders = {0};
    for (size_t i = 0; i < settings->plugin_path_count; i++)
        swi_list_add(&folders, settings->plugin_path[i], strlen(settings->plugin_path[i]));
    add_environment(&folders, ignored);
    add_installed(&folders);
    unique(&folders);
    return folders;
}

/* ---- what is in a folder --------------------------------------------------------------------- */

/* Adds the name of a file NAME.so. */
static void add_name(struct swi_list *names, const char *file)
{
    size_t n = strlen(file);
    char *name = n > 3 && strcmp(file + n - 3, ".so") == 0 ? strndup(file, n - 3) : NULL;
    if (name && swi_name_valid(name))
        swi_list_add(names, name, n - 3);
    free(name);
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

struct swi_list swi_folder_names(const char *folder)
{
    struct swi_list names = {0};
    struct dirent *entry;
    DIR *dir = opendir(folder);
    while (dir && (entry = readdir(dir)))
        add_name(&names, entry->d_name);
    if (dir)
        closedir(dir);
    if (names.count)
        qsort(names.item, names.count, sizeof *names.item, by_text);
    return names;
}
