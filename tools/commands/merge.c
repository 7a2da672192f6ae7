/* SPDX-License-Identifier: MIT */
/* stepwatch merge - one answer from the run logs of all ranks: docs/ranks.md. */
#include "tools/commands/arguments.h"
#include "tools/log/report_json.h"
#include "tools/merge/merged_json.h"
#include "tools/merge/merged_text.h"
#include "tools/output/stderr.h"
#include "tools/commands/commands.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "usage: stepwatch merge RUN.jsonl|FOLDER... [--format FORMAT] [--wait ACTION]\n"
    "                       [--force] [--strict] [--json]\n\n"
    "Merges the run logs of all ranks of a distributed run: for each action the\n"
    "fastest rank, the mean and the slowest rank, what is lost because ranks wait\n"
    "for each other, and which rank keeps the others waiting. FOLDER stands for all\n"
    "files *.jsonl in it.\n\n"
    "  --format FORMAT   table (default), markdown, csv, or json\n"
    "  --wait ACTION     an action whose time is waiting for others, like allreduce;\n"
    "                    can be given several times (default: as the logs say)\n"
    "  --force           also merge logs of another job or number of ranks\n"
    "  --strict          exit status 1 if a rank is missing or did not finish\n"
    "  --json            the same as --format json\n";

/* ---- which logs ---- */

struct paths {
    size_t count;
    char **item;
};

static bool path_add(struct paths *paths, char *path)
{
    char **grown = path ? realloc(paths->item, (paths->count + 1) * sizeof *grown) : NULL;
    if (!grown) {
        free(path);
        return false;
    }
    paths->item = grown;
    grown[paths->count++] = path;
    return true;
}

static int is_log(const struct dirent *entry)
{
    size_t size = strlen(entry->d_name);
    return size > 6 && entry->d_name[0] != '.' && strcmp(entry->d_name + size - 6, ".jsonl") == 0;
}

/* False if the path is not a folder. */
static bool folder_add(struct paths *paths, const char *folder)
{
    struct dirent **entry;
    int count = scandir(folder, &entry, is_log, alphasort);
    if (count < 0)
        return false;
    for (int i = 0; i < count; i++) {
        char *path = NULL;
        if (asprintf(&path, "%s/%s", folder, entry[i]->d_name) < 0)
            path = NULL;
        path_add(paths, path);
        free(entry[i]);
    }
    free(entry);
    return true;
}

static void paths_free(struct paths *paths)
{
    for (size_t i = 0; i < paths->count; i++)
        free(paths->item[i]);
    free(paths->item);
}

/* ---- printing ---- */

#define FORMATS "table, markdown, csv, json"

static int print(const struct merged *merged, const char *format)
{
    struct sw_error err = {0};
    if (strcmp(format, "table") == 0)
        merged_table(merged);
    else if (strcmp(format, "markdown") == 0)
        merged_markdown(merged);
    else if (strcmp(format, "csv") == 0)
        merged_csv(merged);
    else if (json_print(merged_json(merged), &err) < 0)
        say("merge", "%s", err.text);
    return err.code ? EXIT_FAILED : EXIT_FINE;
}

static bool is_format(const char *format)
{
    return strcmp(format, "table") == 0 || strcmp(format, "markdown") == 0 ||
           strcmp(format, "csv") == 0 || strcmp(format, "json") == 0;
}

static bool is_complete(const struct merged *merged)
{
    bool complete = (int64_t)merged->count == merged->world_size;
    for (size_t i = 0; i < merged->count; i++)
        complete = complete && merged->log[i].finished && !merged->log[i].torn;
    return complete;
}

static int merge(const struct paths *paths, const char *format, const char *const *wait, bool force,
                 bool strict)
{
    struct merged merged;
    struct sw_error err;
    int rc = merge_logs(&merged, paths->item, paths->count, wait, force, &err);
    int status = EXIT_FAILED;
    if (rc < 0)
        say("merge", "%s", err.text);
    else
        status = print(&merged, format);
    if (rc == 0 && (merged.odd || (strict && !is_complete(&merged))))
        status = EXIT_FAILED;
    merged_fini(&merged);
    return status;
}

static int run(int argc, char **argv)
{
    const char *format = NULL, *wait[ARGUMENT_LIST + 1] = {NULL};
    bool json = false, force = false, strict = false;
    struct paths paths = {0};
    const struct argument arguments[] = {{.name = "format", .value = &format},
                                         {.name = "wait", .list = wait},
                                         {.name = "force", .flag = &force},
                                         {.name = "strict", .flag = &strict},
                                         {.name = "json", .flag = &json}};
    int rc = arguments_take(&merge_command, arguments, sizeof arguments / sizeof *arguments, &argc,
                            argv);
    if (rc)
        return rc < 0 ? EXIT_FINE : rc;
    if (argc < 2)
        return usage_error(&merge_command, "expected a run log or a folder");
    if (json && format)
        return usage_error(&merge_command, "--json and --format exclude each other");
    format = json ? "json" : format ? format : "table";
    if (!is_format(format))
        return usage_error(&merge_command, "--format: \"%s\" is not one of " FORMATS, format);
    for (int i = 1; i < argc; i++)
        if (!folder_add(&paths, argv[i]))
            path_add(&paths, strdup(argv[i]));
    rc = merge(&paths, format, wait, force, strict);
    paths_free(&paths);
    return rc;
}

const struct command merge_command = {"merge", "one report of all ranks of a distributed run", help,
                                      run};
