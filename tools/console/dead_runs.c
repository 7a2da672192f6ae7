/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "tools/console/console.h"

#include "tools/output/stderr.h"

#include <stepwatch/wandb.h>

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { RUNS_MAX = 16, STATE_MAX = PATH_MAX + NAME_MAX, BLOCK = 64 << 10 };
/* How long the command waits for the upload of the last lines. */
#define UPLOAD_S 10

static char folder[RUNS_MAX][PATH_MAX];
static int count;

/* The name of a folder says whether its run was uploaded while it was written. */
static bool was_online(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash && strncmp(slash, "/run-", 5) == 0;
}

static bool was_offline(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash && strncmp(slash, "/offline-run-", 13) == 0;
}

/* Returns whether a file of this name says that its run has not ended. */
static bool is_state(const char *name)
{
    static const char end[] = ".wandb.console";
    size_t size = strlen(name);
    return strncmp(name, "run-", 4) == 0 && size > sizeof end &&
           strcmp(name + size - (sizeof end - 1), end) == 0;
}

/* The sink removes the file RUN.wandb.console when it ends the run. Returns whether it is there. */
static bool state_find(const char *path, char *state_path, size_t size)
{
    DIR *files = opendir(path);
    const struct dirent *file;
    bool found = false;
    while (files && !found && (file = readdir(files))) {
        found = is_state(file->d_name);
        snprintf(state_path, size, "%s/%s", path, file->d_name);
    }
    if (files)
        closedir(files);
    return found;
}

/* The program may have ended many other runs before. */
void dead_runs_add(const char *path)
{
    char state_path[STATE_MAX];
    if (count < RUNS_MAX && strlen(path) < PATH_MAX && (was_online(path) || was_offline(path)) &&
        state_find(path, state_path, sizeof state_path))
        snprintf(folder[count++], PATH_MAX, "%s", path);
}

/* ---- what the program printed ---------------------------------------------------------------- */

/* Positions stay what they are. Holes stay holes. */
static bool content_copy(int from, int to)
{
    char block[BLOCK];
    struct stat status;
    off_t at = 0;
    ssize_t got = 0;
    while ((at = lseek(from, at, SEEK_DATA)) >= 0 && (got = pread(from, block, BLOCK, at)) > 0) {
        if (pwrite(to, block, (size_t)got, at) != got)
            return false;
        at += got;
    }
    return got >= 0 && fstat(from, &status) == 0 && ftruncate(to, status.st_size) == 0;
}

static void output_keep(const char *log_path, const char *output, int stream)
{
    char from_path[PATH_MAX + 16], path[STATE_MAX + 32];
    snprintf(from_path, sizeof from_path, "%s%s", output, stream == 2 ? ".stderr" : "");
    snprintf(path, sizeof path, "%s.console.%d", log_path, stream);
    int from = open(from_path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (from < 0)
        return;
    int to = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (to < 0 || !content_copy(from, to))
        say("run", "%s: the program's last lines could not be kept", path);
    if (to >= 0)
        close(to);
    close(from);
}

static void status_add(const char *state_path, int status)
{
    int fd = open(state_path, O_WRONLY | O_APPEND | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return;
    if (dprintf(fd, "exit %d\n", status) < 0)
        say("run", "%s: cannot be written", state_path);
    close(fd);
}

/* ---- the upload ------------------------------------------------------------------------------ */

static void upload(const char *path)
{
#ifdef HAVE_SEND
    SW_ERROR_SCOPE(err);
    struct sw_wandb_sync options = {.size = sizeof options, .timeout_s = UPLOAD_S};
    struct sw_wandb_result result = {.size = sizeof result};
    if (sw_wandb_sync(path, &options, &result, &err) < 0)
        say("run", "%s\nstepwatch run: upload the rest of the run with: stepwatch sync %s",
            sw_error_text(&err), path);
#else
    say("run", "upload the rest of the run with: stepwatch sync %s", path);
#endif
}

/* ---- all of them ----------------------------------------------------------------------------- */

static void run_end(const char *path, int status, const char *output)
{
    char state_path[STATE_MAX], log_path[STATE_MAX];
    if (!state_find(path, state_path, sizeof state_path))
        return;
    snprintf(log_path, sizeof log_path, "%.*s", (int)(strlen(state_path) - strlen(".console")),
             state_path);
    for (int i = 1; output && i <= 2; i++)
        output_keep(log_path, output, i);
    status_add(state_path, status);
    if (was_online(path))
        upload(path);
}

void dead_runs_end(int status, const char *output)
{
    for (int i = 0; i < count; i++)
        run_end(folder[i], status, output);
    count = 0;
}
