/* SPDX-License-Identifier: MIT */
/* The sink itself adds the rows: the command knows nothing of SQLite. */
#include "tools/commands/sync_databases.h"
#include "core/text/quote.h"
#include "tools/output/stderr.h"
#include "tools/output/text.h"

#include <stepwatch/stepwatch.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static char usual[] = "runs/stepwatch.db";

static bool has_rows(const char *path)
{
    char folder[4096];
    struct stat st;
    int size = snprintf(folder, sizeof folder, "%s-waiting", path);
    return size < (int)sizeof folder && stat(folder, &st) == 0 && S_ISDIR(st.st_mode);
}

static bool is_database(const char *path)
{
    char head[16] = "";
    struct stat st;
    FILE *file = stat(path, &st) == 0 && S_ISREG(st.st_mode) ? fopen(path, "re") : NULL;
    bool found = file && fread(head, 1, sizeof head, file) == sizeof head &&
                 memcmp(head, "SQLite format 3", sizeof head) == 0;
    if (file)
        fclose(file);
    return found || has_rows(path);
}

/* Returns a configuration in which the sink does nothing else, or NULL if out of memory. */
static char *configuration(const char *path)
{
    char *yaml = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&yaml, &size);
    if (!out)
        return NULL;
    fputs("profiler: { show_report: false, signals: false, close_timeout: 600s }\n"
          "ranks: { rank: 0, size: 1 }\nlogger_callback: { sqlite: { merge: true, path: ",
          out);
    swi_quote_string(path, out);
    fputs(" } }\n", out);
    return fclose(out) == 0 ? yaml : NULL;
}

static bool merge(const char *path)
{
    SW_ERROR_SCOPE(err);
    char *yaml = configuration(path);
    struct sw_profiler *sw = yaml ? sw_open_text(yaml, &err) : NULL;
    int rc = sw ? sw_close(sw, &err) : -1;
    if (rc < 0 && !err.code)
        sw_error_set(&err, SW_ENOMEM, "out of memory");
    if (rc < 0)
        say_error("sync", &err);
    free(yaml);
    return rc >= 0;
}

static bool one(const char *path, bool dry_run, json_t *list)
{
    bool waited = has_rows(path), fine = dry_run || merge(path);
    if (list) {
        json_array_append_new(list, json_pack("{s:o, s:b, s:b}", "path", text_json(path),
                                              "rows_waited", waited, "rows_wait", has_rows(path)));
    } else if (dry_run) {
        text_put(path, 0);
        puts(waited ? ": rows wait for it" : ": no rows wait for it");
    }
    return fine;
}

bool sync_databases(int *count, char **path, bool dry_run, int *found, json_t *list)
{
    bool fine = true;
    int left = 0;
    *found = *count == 0 && has_rows(usual);
    if (*found)
        fine = one(usual, dry_run, list);
    for (int i = 0; i < *count; i++)
        if (is_database(path[i])) {
            ++*found;
            fine = one(path[i], dry_run, list) && fine;
        } else {
            path[left++] = path[i];
        }
    *count = left;
    return fine;
}
