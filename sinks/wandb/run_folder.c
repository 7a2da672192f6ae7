/* SPDX-License-Identifier: MIT */
/* run_folder.c - DIR/wandb/offline-run-TIME-ID/, created for each run, and the link latest-run. */
#include "sinks/wandb/run_folder.h"
#include "core/text/io_code.h"
#include "core/files/in_place.h"

#include "sinks/common/part_file.h"
#include "sinks/common/run_name.h"
#include "sinks/wandb/online.h"
#include "sinks/wandb/wandb_sink.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

static int id_make(struct wandb *w, struct sw_error *err)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789";
    unsigned char random[8];
    if (getrandom(random, sizeof random, 0) != sizeof random)
        return sw_error_set(err, SW_EIO, "cannot make a random run id: %s", strerror(errno));
    for (size_t i = 0; i < sizeof random; i++)
        w->id[i] = letters[random[i] % (sizeof letters - 1)];
    w->id[sizeof random] = '\0';
    w->id_made = true;
    return 0;
}

/* An invalid id prevents the upload, but not the run. */
static int id_find(struct wandb *w, struct sw_error *err)
{
    if (*w->id && swi_wandb_run_id_check(w->id, err) == 0)
        return 0;
    if (*w->id)
        swi_wandb_online_not(w, err, "the run is only written to a file, under another id");
    return id_make(w, err);
}

/* Simplifies the path, because people read and type it. */
static void dots_remove(char *path)
{
    for (char *at; (at = strstr(path, "/./"));)
        memmove(at, at + 2, strlen(at + 2) + 1);
}

/* Option dir is relative to the configuration's folder. WANDB_DIR, or no setting at all, is
 * relative to the current one. */
static int root_find(struct wandb *w, struct sw_error *err)
{
    char path[PATH_MAX], parent[PATH_MAX] = "", env[PATH_MAX];
    int rc = swi_wandb_env_path("WANDB_DIR", env, sizeof env, err);
    const char *dir = w->dir ? w->dir : env;
    if (rc < 0 && !w->dir)
        return rc;
    sw_error_free(err);
    if (!w->dir && *dir != '/' && !getcwd(parent, sizeof parent))
        return sw_error_set(err, SW_EIO, "the current directory has no name: %s", strerror(errno));
    int size = snprintf(path, sizeof path, "%s%s%s%swandb", parent, *parent ? "/" : "", dir,
                        *dir ? "/" : "");
    if (size < 0 || (size_t)size >= sizeof path)
        return sw_error_set(err, SW_EINVAL, "the path of wandb's folder is too long");
    /* The last part is resolved too: it may be a link that another user made. */
    rc = sw_sink_resolve(w->sink, path, w->root, sizeof w->root - 512, err);
    if (rc == 0)
        dots_remove(w->root);
    return rc;
}

static int folder_make(const char *path, struct sw_error *err)
{
    if (mkdir(path, 0777) == 0)
        return 0;
    if (errno == EEXIST)
        return sw_error_set(err, SW_EIO,
                            "%s exists already: two runs with the same id began in the same "
                            "second; give them different ids",
                            path);
    return sw_error_set(err, swi_io_code(errno), "%s: cannot be created: %s", path,
                        strerror(errno));
}

/* Makes the link under another name and renames it, so that there is always one, unless the file
 * system cannot rename. Does not replace a file that is not a link. */
static void latest_set(const struct wandb *w)
{
    char link[PATH_MAX + 16], temporary[PATH_MAX + 64];
    struct stat status;
    snprintf(link, sizeof link, "%s/latest-run", w->root);
    snprintf(temporary, sizeof temporary, "%s/.latest-run-%d-new", w->root, (int)getpid());
    if (lstat(link, &status) == 0 && !S_ISLNK(status.st_mode))
        return;
    const char *target = strrchr(w->folder, '/') + 1;
    if (symlink(target, temporary) != 0 || rename(temporary, link) == 0)
        return;
    bool other_way = swi_stays_in_place(errno);
    unlink(temporary);
    if (other_way && (unlink(link) == 0 || errno == ENOENT) && symlink(target, link) != 0)
        return;
}

/* wandb sync takes only folders that begin with offline-run-. A run that may be partly at the
 * service must not be taken: its rows would be stored twice. */
static int folder_name(struct wandb *w, struct sw_error *err)
{
    char date[32];
    if (!swi_start_time(w->sink->run, "%Y%m%d_%H%M%S", date, sizeof date))
        return sw_error_set(err, SW_EINVAL, "the start of the run is not a valid date");
    int size = snprintf(w->folder, sizeof w->folder, "%s/%s-%s-%s", w->root,
                        w->online ? "run" : "offline-run", date, w->id);
    if (size < 0 || (size_t)size >= sizeof w->folder - 256)
        return sw_error_set(err, SW_EINVAL, "the path of the run's folder is too long");
    return 0;
}

/* Where the program runs under `stepwatch run`, the command looks there for the run of a program
 * that was killed. */
static int folder_report(struct wandb *w, struct sw_error *err)
{
    char path[PATH_MAX];
    return sw_sink_resolve(w->sink, w->folder, path, sizeof path, err);
}

/* Makes the run's folder with its file. Leaves nothing on failure: the sink may be opened again. */
static int content_make(struct wandb *w, struct sw_error *err)
{
    char path[2 * PATH_MAX];
    int rc = folder_make(w->folder, err);
    if (rc < 0)
        return rc;
    /* Without this folder, wandb sync silently uploads no file. */
    snprintf(path, sizeof path, "%s/files", w->folder);
    rc = folder_make(path, err);
    snprintf(path, sizeof path, "%s/run-%s.wandb", w->folder, w->id);
    if (rc == 0)
        rc = swi_wandb_log_open(&w->records.log, path, err);
    if (rc < 0) {
        snprintf(path, sizeof path, "%s/files", w->folder);
        rmdir(path);
        rmdir(w->folder);
    }
    return rc;
}

int swi_wandb_run_folder_make(struct wandb *w, struct sw_error *err)
{
    int rc = root_find(w, err);
    if (rc < 0)
        return rc;
    swi_wandb_online_resume(w);
    if ((rc = id_find(w, err)) < 0 || (rc = folder_name(w, err)) < 0)
        return rc;
    if ((rc = swi_parent_folders_make(w->folder, err)) < 0 || (rc = content_make(w, err)) < 0)
        return rc;
    latest_set(w);
    return folder_report(w, err);
}
