/* SPDX-License-Identifier: MIT */
#include "sinks/mlflow/journal_folder.h"
#include "core/text/io_code.h"
#include "sinks/common/part_file.h"
#include "sinks/common/run_name.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int folder_name(struct mlflow *m, struct sw_error *err)
{
    char below[PATH_MAX], root[PATH_MAX], date[32];
    int size = snprintf(below, sizeof below, "%s/mlflow", m->dir);
    if (size >= (int)sizeof below)
        return sw_error_set(err, SW_EINVAL, "dir: the path is too long");
    if (!swi_start_time(m->sink->run, "%Y%m%d_%H%M%S", date, sizeof date))
        return sw_error_set(err, SW_EINVAL, "the start of the run is not a valid date");
    int rc = sw_sink_resolve(m->sink, below, root, sizeof root - 512, err);
    if (rc == 0)
        snprintf(m->folder, sizeof m->folder, "%.*s/run-%.31s-%s", PATH_MAX - 512, root, date,
                 m->uid);
    return rc;
}

static int folder_make(char *folder, struct sw_error *err)
{
    int rc = swi_parent_folders_make(folder, err);
    if (rc == 0 && mkdir(folder, 0777) < 0)
        rc = sw_error_set(err, swi_io_code(errno), "%s: cannot be created: %s", folder,
                          strerror(errno));
    return rc;
}

int swi_mlflow_folder_make(struct mlflow *m, struct sw_error *err)
{
    char path[PATH_MAX + 32];
    int rc = swi_random_id(m->uid, err);
    if (rc == 0)
        rc = folder_name(m, err);
    if (rc == 0)
        rc = folder_make(m->folder, err);
    snprintf(path, sizeof path, "%s/journal.jsonl", m->folder);
    if (rc == 0 && (rc = swi_journal_create(&m->journal, path, err)) < 0)
        rmdir(m->folder);
    return rc;
}

void swi_mlflow_folder_remove(struct mlflow *m)
{
    unlink(m->journal.path);
    rmdir(m->folder);
}
