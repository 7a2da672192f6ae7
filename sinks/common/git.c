/* SPDX-License-Identifier: MIT */
#include "sinks/common/git.h"

#include "core/text/address_user.h"
#include "net/surroundings.h"

#include <ctype.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- reads a value from a file in the format of git-config(1) -------------------------------- */

/* Files that it includes are not read. */
/* The syntax of https://git-scm.com/docs/git-config#_syntax. The library that reads it would be the
 * largest that stepwatch links, for one value. */

enum { FILE_MOST = 1 << 20, WORD = 1024 };

/* Words that are longer than their array are cut: they are not the ones that are looked for. */
struct reader {
    const char *at; /* ends with a NUL */
    char section[WORD], subsection[WORD], name[WORD];
    char *value;
    size_t size; /* of value */
    bool fits;   /* the value that was read last */
};

/* ---- characters ------------------------------------------------------------------------------ */

/* A carriage return counts only before a newline, where it is part of it. */
static char peek(const struct reader *r)
{
    return r->at[0] == '\r' && r->at[1] == '\n' ? '\n' : *r->at;
}

static char next(struct reader *r)
{
    char c = peek(r);
    r->at += *r->at == '\r' && c == '\n' ? 2 : c != '\0';
    return c;
}

static void blanks_skip(struct reader *r)
{
    while (peek(r) == ' ' || peek(r) == '\t')
        next(r);
}

static void line_skip(struct reader *r)
{
    while (peek(r) && peek(r) != '\n')
        next(r);
}

static void add(char word[WORD], size_t *used, char c)
{
    if (*used + 1 < WORD)
        word[(*used)++] = c;
    word[*used] = '\0';
}

/* Reads letters, digits, - and . as a word in lower case. */
static void word_read(struct reader *r, char word[WORD], bool dots)
{
    size_t used = 0;
    word[0] = '\0';
    while (isalnum((unsigned char)peek(r)) || peek(r) == '-' || (dots && peek(r) == '.'))
        add(word, &used, (char)tolower((unsigned char)next(r)));
}

/* ---- a section ------------------------------------------------------------------------------- */

static void subsection_read(struct reader *r)
{
    size_t used = 0;
    while (peek(r) && peek(r) != '"' && peek(r) != '\n') {
        char c = next(r);
        if (c == '\\' && peek(r) && peek(r) != '\n')
            c = next(r);
        add(r->subsection, &used, c);
    }
    if (peek(r) == '"')
        next(r);
}

/* Reads [section], [section "subsection"], or the old form [section.subsection]. */
static void section_read(struct reader *r)
{
    r->subsection[0] = '\0';
    word_read(r, r->section, true);
    char *dot = strchr(r->section, '.');
    if (dot) {
        memcpy(r->subsection, dot + 1, strlen(dot + 1) + 1);
        *dot = '\0';
    }
    blanks_skip(r);
    if (peek(r) == '"') {
        next(r);
        subsection_read(r);
    }
    if (peek(r) == ']')
        next(r);
    else
        line_skip(r);
}

/* ---- a value --------------------------------------------------------------------------------- */

static void value_add(struct reader *r, size_t *used, char c)
{
    r->fits = *used + 1 < r->size;
    if (r->fits)
        r->value[(*used)++] = c;
    r->value[*used] = '\0';
}

static char escaped(char c)
{
    return c == 'n' ? '\n' : c == 't' ? '\t' : c == 'b' ? '\b' : c;
}

/* Reads up to the end of the line. A backslash before it joins the next line; blanks at the end
 * belong to the value only within quotes. */
static void value_read(struct reader *r)
{
    size_t used = 0, end = 0;
    bool quoted = false;
    r->value[0] = '\0';
    r->fits = true;
    blanks_skip(r);
    while (r->fits && peek(r) && peek(r) != '\n') {
        char c = next(r);
        if (c == '"') {
            quoted = !quoted;
            end = used;
        } else if (!quoted && (c == '#' || c == ';')) {
            break;
        } else if (c == '\\') {
            c = next(r);
            if (c && c != '\n')
                value_add(r, &used, escaped(c));
            end = used;
        } else {
            value_add(r, &used, c);
            end = quoted || !isspace((unsigned char)c) ? used : end;
        }
    }
    r->value[end] = '\0';
    line_skip(r);
}

/* ---- the file -------------------------------------------------------------------------------- */

/* Reads the next value. A name without = is a switch, and has none. Returns false at the end. */
static bool entry_read(struct reader *r)
{
    while (peek(r)) {
        if (isspace((unsigned char)peek(r))) {
            next(r);
        } else if (peek(r) == '[') {
            next(r);
            section_read(r);
        } else if (isalpha((unsigned char)peek(r))) {
            word_read(r, r->name, false);
            blanks_skip(r);
            if (peek(r) != '=')
                continue;
            next(r);
            value_read(r);
            return true;
        } else {
            line_skip(r);
        }
    }
    return false;
}

static char *file_read(const char *path)
{
    FILE *file = swi_plain_file_open(path);
    char *text = file ? malloc(FILE_MOST + 1) : NULL;
    if (text)
        text[fread(text, 1, FILE_MOST, file)] = '\0';
    if (file)
        fclose(file);
    return text;
}

/* Finds the first address of the remote origin, as git reads it: without quotes, comments and
 * escapes. Returns false if there is none or it does not fit. */
static bool origin_find(const char *path, char *value, size_t size)
{
    char *text = file_read(path);
    struct reader *r = calloc(1, sizeof *r);
    bool found = false;
    if (text && r) {
        bool marked = strncmp(text, "\xef\xbb\xbf", 3) == 0;
        *r = (struct reader){.at = text + (marked ? 3 : 0), .value = value, .size = size};
        while (!found && entry_read(r))
            found = strcmp(r->section, "remote") == 0 && strcmp(r->subsection, "origin") == 0 &&
                    strcmp(r->name, "url") == 0;
        found = found && r->fits;
    }
    free(r);
    free(text);
    return found;
}

/* ---- finds the repository and the commit of the program from the repository's files ---------- */

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
    if (origin_find(path, url, sizeof url))
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
