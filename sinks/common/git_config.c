/* SPDX-License-Identifier: MIT */
/* git_config.c - the syntax of https://git-scm.com/docs/git-config#_syntax. The library that reads
 * it would be the largest that stepwatch links, for one value. */
#include "sinks/common/git_config.h"
#include "net/plain_file.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

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

bool swi_git_config_find(const char *path, const char *section, const char *subsection,
                         const char *name, char *value, size_t size)
{
    char *text = file_read(path);
    struct reader *r = calloc(1, sizeof *r);
    bool found = false;
    value[0] = '\0';
    if (text && r) {
        bool marked = strncmp(text, "\xef\xbb\xbf", 3) == 0;
        *r = (struct reader){.at = text + (marked ? 3 : 0), .value = value, .size = size};
        while (!found && entry_read(r))
            found = strcmp(r->section, section) == 0 && strcmp(r->subsection, subsection) == 0 &&
                    strcmp(r->name, name) == 0;
        found = found && r->fits;
    }
    if (!found)
        value[0] = '\0';
    free(r);
    free(text);
    return found;
}
