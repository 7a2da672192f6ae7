/* SPDX-License-Identifier: MIT */
/* A plugin is code, so it must be a regular file that only root or the user can have put there. */
#include "core/plugins/search.h"
#include "core/files/own_symbols.h"
#include "core/plugins/kind.h"
#include "core/plugins/trust.h"
#include "core/process/signals.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* A program with a loader names it, even if it was run as an argument of the loader. */
static int has_loader(struct dl_phdr_info *object, size_t size, void *arg)
{
    (void)size;
    for (int i = 0; i < object->dlpi_phnum; i++)
        if (object->dlpi_phdr[i].p_type == PT_INTERP)
            *(bool *)arg = true;
    return *(bool *)arg;
}

bool swi_linked_statically(void)
{
    bool loaded = false;
    dl_iterate_phdr(has_loader, &loaded);
    return !loaded;
}

/* ---- trying ---------------------------------------------------------------------------------- */

enum { PATIENCE_S = 10, TRIES = 2 };

/* A byte says that loading came back, whatever the exit status is that a constructor thinks of. */
static _Noreturn void child(const struct swi_kind *kind, const char *folder, const char *name,
                            int done)
{
    static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
    const struct rlimit none = {0, 0};
    struct swi_plugin plugin;
    SW_ERROR_SCOPE(ignored);
    setrlimit(RLIMIT_CORE, &none);
    /* The parent's handlers would report a crash of the program. */
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        signal(faults[i], SIG_DFL);
    swi_plugin_load_from(kind, &plugin, folder, name, NULL, 0, &ignored);
    _exit(write(done, ".", 1) == 1 ? 0 : 1);
}

/* Returns 1 if the child has reported, 0 if it ended without, and -1 if it did neither in time. */
static int answer(int done)
{
    struct pollfd waited = {.fd = done, .events = POLLIN};
    char byte;
    int rc;
    while ((rc = poll(&waited, 1, PATIENCE_S * 1000)) < 0 && errno == EINTR)
        continue;
    return rc > 0 ? read(done, &byte, 1) == 1 : -1;
}

/* Returns -1 if the program prevents waiting for its children. */
static int status_of(pid_t pid)
{
    int status;
    pid_t rc;
    while ((rc = waitpid(pid, &status, 0)) < 0 && errno == EINTR)
        continue;
    return rc == pid ? status : -1;
}

static int refuse(int answered, int status, struct sw_error *err)
{
    if (answered < 0)
        return sw_error_set(err, SW_ESINK, "loading it takes longer than %d s", PATIENCE_S);
    if (status != -1 && WIFSIGNALED(status))
        return sw_error_set(err, SW_ESINK, "it crashes when loaded: %s",
                            strsignal(WTERMSIG(status)));
    return sw_error_set(err, SW_ESINK, "it ends the program when loaded");
}

/* Where no process can be made, the plugin is believed to be one that can be loaded. */
static int probe_once(const struct swi_kind *kind, const char *folder, const char *name,
                      struct sw_error *err)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return 0;
    pid_t pid = fork();
    if (pid == 0)
        child(kind, folder, name, ends[1]);
    close(ends[1]);
    int answered = pid > 0 ? answer(ends[0]) : 1;
    close(ends[0]);
    /* Also kill a child that closed its files and runs on, because waiting for it might never end.
     */
    if (pid > 0 && answered != 1)
        kill(pid, SIGKILL);
    int status = pid > 0 ? status_of(pid) : 0;
    return answered == 1 ? 0 : refuse(answered, status, err);
}

/* A child crashes by itself if another thread was within the dynamic loader when it was made. A
 * plugin that crashes does so each time. */
int swi_plugin_trial_load(const struct swi_kind *kind, const char *folder, const char *name,
                          struct sw_error *err)
{
    int rc = probe_once(kind, folder, name, err);
    for (int i = 1; i < TRIES && rc != 0; i++) {
        sw_error_free(err);
        rc = probe_once(kind, folder, name, err);
    }
    return rc;
}

/* ---- loading --------------------------------------------------------------------------------- */

/* A folder may have plugins of all kinds. */
static bool is_other_kind(const struct swi_kind *kind, const struct swi_shared *shared)
{
    return !dlsym(shared->handle, kind->symbol) && dlsym(shared->handle, kind->other->symbol);
}

static int descriptor_take(const struct swi_kind *kind, struct swi_plugin *plugin,
                           const struct swi_shared *shared, const char *path, const char *name,
                           struct sw_error *err)
{
    const void *taken;
    char *copy = strdup(path);
    int rc = copy
                 ? swi_descriptor_take(kind, dlsym(shared->handle, kind->symbol), name, &taken, err)
                 : sw_error_set(err, SW_ENOMEM, "not enough memory to load it");
    if (rc >= 0)
        *plugin = (struct swi_plugin){.handle = shared->handle, .any = taken, .path = copy};
    else
        free(copy);
    return rc;
}

static int plugin_open(const struct swi_kind *kind, struct swi_plugin *plugin, int fd, bool fixed,
                       const char *path, const char *name, struct sw_error *err)
{
    struct swi_shared shared;
    swi_fault_blame(kind->word, name);
    int rc = swi_shared_object_load(&shared, fd, path, fixed, err);
    swi_fault_blame(NULL, NULL);
    if (rc < 0)
        return rc;
    if (is_other_kind(kind, &shared))
        rc = sw_error_set(err, SW_EINVAL, "it is a %s, not a %s: list it below %s",
                          kind->other->word, kind->word, kind->other->key);
    else
        rc = descriptor_take(kind, plugin, &shared, path, name, err);
    if (rc >= 0)
        swi_shared_object_keep(&shared);
    else
        swi_shared_object_drop(&shared);
    return rc;
}

int swi_plugin_load_in(const struct swi_kind *kind, struct swi_plugin *plugin,
                       const struct swi_trusted_folder *folder, const char *name, char *warn,
                       size_t warn_size, struct sw_error *err)
{
    char path[PATH_MAX], file[NAME_MAX + 1];
    struct swi_trusted found;
    sw_error_init(err);
    snprintf(path, sizeof path, "%s/%s.so", swi_trust_name(folder), name);
    snprintf(file, sizeof file, "%s.so", name);
    int rc = swi_trust_open(folder, file, &found, err), fd = rc;
    /* A missing folder is fine; one that cannot be read is reported. */
    if (rc == SW_EIO) {
        sw_error_free(err);
        if (found.reason && found.reason != ENOENT)
            sw_error_set(err, SW_EIO, "%s", strerror(found.reason));
        return SW_EIO;
    }
    if (warn && *found.warn)
        snprintf(warn, warn_size, "%s %s: %s: %s", kind->word, name, path, found.warn);
    if (fd >= 0) {
        rc = plugin_open(kind, plugin, fd, found.fixed, path, name, err);
        close(fd);
    }
    if (rc < 0)
        sw_error_prefix(err, "%s", path);
    return rc;
}

int swi_plugin_load_from(const struct swi_kind *kind, struct swi_plugin *plugin, const char *folder,
                         const char *name, char *warn, size_t warn_size, struct sw_error *err)
{
    struct swi_trusted_folder *entered = swi_trust_enter(folder);
    if (!entered)
        return sw_error_set(err, SW_ENOMEM, "not enough memory to load it");
    int rc = swi_plugin_load_in(kind, plugin, entered, name, warn, warn_size, err);
    swi_trust_leave(entered);
    return rc;
}

void swi_plugin_fini(struct swi_plugin *plugin)
{
    /* The code stays loaded, because threads and destructors of it may still run. */
    free(plugin->path);
    *plugin = (struct swi_plugin){0};
}
