/* SPDX-License-Identifier: MIT */
#include "sinks/wandb/run/machine.h"
#include "core/text/address_user.h"
#include "core/text/characters.h"
#include "core/text/escape.h"
#include "sinks/wandb/account/sdk_settings.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/utsname.h>
#include <unistd.h>
#ifdef __GLIBC__
#include <gnu/libc-version.h>
#endif

/* A protobuf reader rejects a whole record if one of its strings is not UTF-8. */
static void text_set(char *to, size_t size, const char *text)
{
    SWI_FREED struct swi_text safe = {0};
    swi_escape_terminal(&safe, text);
    if (safe.data)
        swi_address_clean(safe.data);
    bool fits = safe.data && !safe.failed && strlen(safe.data) < size;
    snprintf(to, size, "%s", fits ? safe.data : "");
}

/* ---- the machine ----------------------------------------------------------------------------- */

static void os_find(struct swi_wandb_environment *e)
{
    struct utsname name;
    char os[sizeof e->os];
    const char *libc = "";
    if (uname(&name) < 0)
        return;
#ifdef __GLIBC__
    libc = gnu_get_libc_version();
#endif
    snprintf(os, sizeof os, "%.60s-%.60s-%.60s%s%.20s", name.sysname, name.release, name.machine,
             *libc ? "-with-glibc" : "", libc);
    text_set(e->os, sizeof e->os, os);
}

/* Cores are counted by their numbers, because processors may share a core. */
struct cores {
    uint32_t count;
    int physical;
    int seen[4096];
};

static void core_count(struct cores *cores, int core)
{
    int key = cores->physical * 65536 + core;
    for (uint32_t i = 0; i < cores->count; i++)
        if (cores->seen[i] == key)
            return;
    if (cores->count < sizeof cores->seen / sizeof *cores->seen)
        cores->seen[cores->count++] = key;
}

static void cpu_line(struct swi_wandb_environment *e, struct cores *cores, const char *line)
{
    const char *value = strchr(line, ':');
    char model[sizeof e->cpu_model];
    if (!value)
        return;
    if (strncmp(line, "physical id", 11) == 0)
        cores->physical = atoi(value + 1);
    else if (strncmp(line, "core id", 7) == 0)
        core_count(cores, atoi(value + 1));
    else if (strncmp(line, "model name", 10) == 0 && !*e->cpu_model) {
        snprintf(model, sizeof model, "%.100s", value + 1 + strspn(value + 1, " \t"));
        model[strcspn(model, "\n")] = '\0';
        text_set(e->cpu_model, sizeof e->cpu_model, model);
    }
}

static void cpu_find(struct swi_wandb_environment *e)
{
    char line[1024];
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    struct cores *cores = calloc(1, sizeof *cores);
    FILE *file = cores ? fopen("/proc/cpuinfo", "re") : NULL;
    while (file && fgets(line, sizeof line, file))
        cpu_line(e, cores, line);
    if (file)
        fclose(file);
    e->processors = processors > 0 ? (uint32_t)processors : 0;
    e->cores = cores && cores->count ? cores->count : e->processors;
    free(cores);
}

static void sizes_find(struct swi_wandb_environment *e)
{
    struct statvfs disk;
    long pages = sysconf(_SC_PHYS_PAGES);
    e->memory_bytes = pages > 0 ? (uint64_t)pages * (uint64_t)sysconf(_SC_PAGESIZE) : 0;
    if (statvfs("/", &disk) == 0) {
        e->disk_bytes = (uint64_t)disk.f_blocks * disk.f_frsize;
        e->disk_used_bytes = (uint64_t)(disk.f_blocks - disk.f_bfree) * disk.f_frsize;
    }
}

/* ---- the program ----------------------------------------------------------------------------- */

static bool is_same_file(const char *a, const char *b)
{
    struct stat one, other;
    return stat(a, &one) == 0 && stat(b, &other) == 0 && one.st_dev == other.st_dev &&
           one.st_ino == other.st_ino;
}

/* Finds the program by the name with which it was started, as the SDK does with a script. A link to
 * it counts, because it is what the user started. A name without a slash, or relative to a folder
 * that is no longer the current one, does not count. */
static void program_find(struct swi_wandb_environment *e, char path[PATH_MAX])
{
    const char *name = program_invocation_name;
    if (strchr(name, '/') && strlen(name) < PATH_MAX && is_same_file(name, "/proc/self/exe"))
        snprintf(path, PATH_MAX, "%s", name);
    else
        snprintf(path, PATH_MAX, "%s", e->executable);
}

/* Removes "." and ".." from a path, without looking at the file system. */
static void path_clean(char *path)
{
    char *to = path;
    for (char *at = path, *next; *at; at = next) {
        while (*at == '/')
            at++;
        next = at + strcspn(at, "/");
        size_t size = (size_t)(next - at);
        if (size == 2 && memcmp(at, "..", 2) == 0)
            while (to > path && *--to != '/')
                ;
        else if (size && !(size == 1 && *at == '.')) {
            *to++ = '/';
            memmove(to, at, size);
            to += size;
        }
    }
    *to = '\0';
}

/* Sets the folder of a path relative to the current one; "" is the root. */
static void folder_set(struct swi_wandb_environment *e, const char *current, const char *path)
{
    char whole[2 * PATH_MAX];
    snprintf(whole, sizeof whole, "%s/%s", *path == '/' ? "" : current, path);
    path_clean(whole);
    char *slash = strrchr(whole, '/');
    if (slash)
        *slash = '\0';
    text_set(e->folder, sizeof e->folder, whole);
}

/* If the remote is given without a commit, the commit of the repository here is left out: it
 * belongs to another one. */
static void git_set(struct swi_wandb_environment *e, bool off)
{
    const char *commit = swi_wandb_env("WANDB_GIT_COMMIT");
    const char *remote = swi_wandb_env("WANDB_GIT_REMOTE_URL");
    struct swi_git found = e->git;
    if (off)
        *found.commit = *found.remote = '\0';
    if (remote && *remote) {
        *found.commit = '\0';
        swi_git_remote(&found, remote);
    }
    text_set(e->git.root, sizeof e->git.root, found.root);
    text_set(e->git.remote, sizeof e->git.remote, found.remote);
    text_set(e->git.commit, sizeof e->git.commit, commit && *commit ? commit : found.commit);
}

static void paths_find(struct swi_wandb_environment *e, bool elsewhere)
{
    char path[PATH_MAX], current[PATH_MAX];
    const char *set = swi_wandb_env("WANDB_PROGRAM");
    char *chosen = set && *set ? swi_address_clean_copy(set) : NULL;
    ssize_t size = readlink("/proc/self/exe", path, sizeof path - 1);
    if (size > 0) {
        path[size] = '\0';
        text_set(e->executable, sizeof e->executable, path);
    }
    if (getcwd(current, sizeof current))
        text_set(e->root, sizeof e->root, current);
    if (*e->root && !elsewhere) {
        if (chosen)
            text_set(e->program, sizeof e->program, chosen);
        program_find(e, path);
        folder_set(e, current, chosen && strlen(chosen) < PATH_MAX ? chosen : path);
        swi_git_find(&e->git, current);
        git_set(e, swi_wandb_flag("WANDB_DISABLE_GIT", NULL, "disable_git") == 1);
    }
    free(chosen);
}

void swi_wandb_environment_find(struct swi_wandb_environment *e,
                                const struct swi_wandb_about *about)
{
    *e = (struct swi_wandb_environment){.started_s = about->started_s};
    text_set(e->program, sizeof e->program, about->program);
    text_set(e->host, sizeof e->host, about->host);
    os_find(e);
    cpu_find(e);
    sizes_find(e);
    paths_find(e, about->elsewhere);
    swi_writer_id_make(e->writer_id);
}

void swi_wandb_environment_project(const struct swi_wandb_environment *e, char *project,
                                   size_t size)
{
    const char *root = e->git.root, *folder = e->folder, *name = strrchr(root, '/'), *below = "";
    size_t above = strlen(root);
    bool inside = name && strncmp(folder, root, above) == 0;
    /* The SDK compares letters only: a folder beside the repository counts too if its name begins
     * with the same letters. */
    bool beside = inside && folder[above] && folder[above] != '/';
    if (beside)
        below = folder + (name - root) + 1;
    else if (inside && folder[above])
        below = folder + above + 1;
    snprintf(project, size, "%s%s%s%s", name ? name + 1 : "uncategorized", *below ? "-" : "",
             beside ? "../" : "", below);
    for (char *c = project; *c; c++)
        if (strchr("/\\#?%:", *c))
            *c = '_';
    project[swi_utf8_fit(project, SWI_PROJECT_MAX)] = '\0'; /* the service's limit */
}
