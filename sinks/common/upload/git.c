/* SPDX-License-Identifier: MIT */
#include "sinks/common/upload/git.h"
#include "sinks/common/upload/plain_file.h"

#include <ctype.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LINE = 4096, LINES_MAX = 200000 };

/* ---- files of a repository ------------------------------------------------------------------- */

static bool first_line(const char *folder, const char *name, char line[LINE])
{
    char path[2 * PATH_MAX];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = swi_plain_file_open(path);
    bool found = file && fgets(line, LINE, file);
    if (file)
        fclose(file);
    if (found)
        memmove(line, swi_plain_file_trim(line), strlen(swi_plain_file_trim(line)) + 1);
    return found;
}

/* Makes a path found in a file of the repository absolute. It may be relative to a folder. */
static void path_join(char joined[PATH_MAX], const char *folder, const char *path)
{
    char whole[PATH_MAX + LINE + 2];
    snprintf(whole, sizeof whole, "%s%s%s", *path == '/' ? "" : folder, *path == '/' ? "" : "/",
             path);
    joined[0] = '\0';
    if (strlen(whole) < PATH_MAX)
        memcpy(joined, whole, strlen(whole) + 1);
}

/* ---- the commit ------------------------------------------------------------------------------ */

static bool commit_take(struct swi_git *git, const char *text)
{
    size_t size = strspn(text, "0123456789abcdef");
    if ((size != 40 && size != 64) || (text[size] && !isspace((unsigned char)text[size])))
        return false;
    memcpy(git->commit, text, size);
    git->commit[size] = '\0';
    return true;
}

/* Finds a reference that has no file, in lines "COMMIT NAME". */
static void packed_find(struct swi_git *git, const char *common, const char *name)
{
    char path[PATH_MAX + 16], line[LINE];
    snprintf(path, sizeof path, "%s/packed-refs", common);
    FILE *file = swi_plain_file_open(path);
    bool found = false;
    for (int i = 0; file && !found && i < LINES_MAX && fgets(line, sizeof line, file); i++) {
        char *space = strchr(line, ' ');
        found = space && strcmp(swi_plain_file_trim(space), name) == 0 && commit_take(git, line);
    }
    if (file)
        fclose(file);
}

/* A separate working tree has its HEAD in `own`, and the branches in `common`. */
static void commit_find(struct swi_git *git, const char *own, const char *common)
{
    char line[LINE], reference[LINE];
    if (!first_line(own, "HEAD", line) || commit_take(git, line) || strncmp(line, "ref:", 4) != 0)
        return;
    snprintf(reference, sizeof reference, "%s", swi_plain_file_trim(line + 4));
    if (strncmp(reference, "refs/heads/", 11) == 0)
        snprintf(git->branch, sizeof git->branch, "%.255s", reference + 11);
    if (!(first_line(common, reference, line) && commit_take(git, line)))
        packed_find(git, common, reference);
}

/* ---- the remote ------------------------------------------------------------------------------ */

/* The part before the @ of a web address may contain a password; that of git@host:path does not. */
void swi_git_remote(struct swi_git *git, const char *url)
{
    const char *scheme = strstr(url, "://");
    const char *host = scheme ? scheme + 3 : url;
    const char *at = host + strcspn(host, "/");
    while (scheme && at > host && *at != '@')
        at--;
    if (scheme && *at == '@' && (strncmp(url, "http", 4) == 0 || memchr(host, ':', at - host)))
        snprintf(git->remote, sizeof git->remote, "%.*s%s", (int)(host - url), url, at + 1);
    else
        snprintf(git->remote, sizeof git->remote, "%s", url);
}

static void remote_find(struct swi_git *git, const char *common)
{
    char path[PATH_MAX + 16], line[LINE];
    bool origin = false;
    snprintf(path, sizeof path, "%s/config", common);
    FILE *file = swi_plain_file_open(path);
    for (int i = 0; file && !*git->remote && i < LINES_MAX && fgets(line, sizeof line, file); i++) {
        char *text = swi_plain_file_trim(line), *value = strchr(text, '=');
        if (*text == '[')
            origin = strcmp(text, "[remote \"origin\"]") == 0;
        if (!origin || !value || strncmp(text, "url", 3) != 0)
            continue;
        *value = '\0';
        if (strcmp(swi_plain_file_trim(text), "url") == 0)
            swi_git_remote(git, swi_plain_file_trim(value + 1));
    }
    if (file)
        fclose(file);
}

/* ---- the repository -------------------------------------------------------------------------- */

/* Finds the repository's folder: .git, or the folder that a file .git names. */
static bool folder_find(const char *root, char own[PATH_MAX])
{
    char line[LINE], path[PATH_MAX + 8];
    struct stat status;
    snprintf(path, sizeof path, "%s/.git", root);
    if (stat(path, &status) < 0)
        return false;
    if (S_ISDIR(status.st_mode))
        path_join(own, root, ".git");
    else if (first_line(root, ".git", line) && strncmp(line, "gitdir:", 7) == 0)
        path_join(own, root, swi_plain_file_trim(line + 7));
    else
        return false;
    snprintf(path, sizeof path, "%s/HEAD", own);
    return *own && stat(path, &status) == 0;
}

bool swi_git_find(struct swi_git *git, const char *folder)
{
    char own[PATH_MAX], common[PATH_MAX], line[LINE];
    *git = (struct swi_git){0};
    if (strlen(folder) >= sizeof git->root)
        return false;
    memcpy(git->root, folder, strlen(folder) + 1);
    while (*git->root && !folder_find(git->root, own)) {
        char *slash = strrchr(git->root, '/');
        git->root[slash ? slash - git->root : 0] = '\0';
    }
    if (!*git->root)
        return false;
    path_join(common, own, first_line(own, "commondir", line) ? line : ".");
    commit_find(git, own, common);
    remote_find(git, common);
    return true;
}
