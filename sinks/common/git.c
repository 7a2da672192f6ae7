/* SPDX-License-Identifier: MIT */
#include "sinks/common/git.h"
#include "core/text/address_user.h"
#include "sinks/common/git_config.h"
#include "net/plain_file.h"

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

/* Returns whether git would take a name of a branch. Where references are kept in another form than
 * files, HEAD has a name that it would not: .invalid. */
static bool is_branch(const char *name)
{
    return *name && *name != '.' && !strstr(name, "/.") && !strstr(name, "..");
}

/* Reads HEAD, which is a link in repositories of old versions of git. */
static bool head_read(const char *own, char line[LINE])
{
    char path[2 * PATH_MAX];
    snprintf(path, sizeof path, "%s/HEAD", own);
    ssize_t size = readlink(path, line + 5, LINE - 6);
    line[5 + (size > 0 ? size : 0)] = '\0';
    if (strncmp(line + 5, "refs/", 5) != 0)
        return first_line(own, "HEAD", line);
    memcpy(line, "ref: ", 5);
    return true;
}

/* A separate working tree has its HEAD in `own`, and the branches in `common`. */
static void commit_find(struct swi_git *git, const char *own, const char *common)
{
    char line[LINE], reference[LINE];
    if (!head_read(own, line) || commit_take(git, line) || strncmp(line, "ref:", 4) != 0)
        return;
    snprintf(reference, sizeof reference, "%s", swi_plain_file_trim(line + 4));
    bool branch = strncmp(reference, "refs/heads/", 11) == 0;
    if (branch && is_branch(reference + 11))
        snprintf(git->branch, sizeof git->branch, "%.255s", reference + 11);
    if (branch && !*git->branch)
        return;
    if (!(first_line(common, reference, line) && commit_take(git, line)))
        packed_find(git, common, reference);
}

/* ---- the remote ------------------------------------------------------------------------------ */

/* An address that was cut off could end within a password. */
void swi_git_remote(struct swi_git *git, const char *url)
{
    char *clean = swi_address_clean_copy(url);
    bool fits = clean && strlen(clean) < sizeof git->remote;
    snprintf(git->remote, sizeof git->remote, "%s", fits ? clean : "");
    free(clean);
}

static void remote_find(struct swi_git *git, const char *common)
{
    char path[PATH_MAX + 16], url[LINE];
    snprintf(path, sizeof path, "%s/config", common);
    if (swi_git_config_find(path, "remote", "origin", "url", url, sizeof url))
        swi_git_remote(git, url);
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
    return *own && lstat(path, &status) == 0;
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
