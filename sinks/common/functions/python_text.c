/* SPDX-License-Identifier: MIT */
#include "sinks/common/functions/python_text.h"

#include <ctype.h>
#include <string.h>

/* ---- regular expressions ---- */

/* Returns what POSIX writes in brackets for a backslash and this character; NULL: only the
 * character. */
static const char *class_members(char c)
{
    switch (c) {
    case 'd':
        return "0-9";
    case 'w':
        return "[:alnum:]_";
    case 's':
        return "[:space:]";
    case 'n':
        return "\n";
    case 't':
        return "\t";
    default:
        return NULL;
    }
}

/* What is in brackets. POSIX has no escapes there: `]` must come first, `-` last, and `^` must not
 * come first. */
struct members {
    struct swi_text text; /* the others */
    bool negated, closing, caret, dash;
    bool failed; /* not supported */
};

/* Takes what follows a backslash. */
static void escaped_member(struct members *members, char c)
{
    if (class_members(c))
        swi_text_put(&members->text, class_members(c));
    else if (isalpha((unsigned char)c))
        members->failed = true;
    else if (c == ']')
        members->closing = true;
    else if (c == '^')
        members->caret = true;
    else if (c == '-')
        members->dash = true;
    else
        swi_text_add(&members->text, &c, 1);
}

static void members_write(struct swi_text *out, const struct members *members)
{
    bool first = !members->negated && !members->closing && !members->text.size;
    if (first && members->caret) {
        swi_text_put(out, members->dash ? "[-^]" : "\\^");
        return;
    }
    swi_text_put(out, members->negated ? "[^" : "[");
    swi_text_put(out, members->closing ? "]" : "");
    if (members->text.size)
        swi_text_add(out, members->text.data, members->text.size);
    swi_text_put(out, members->caret ? "^" : "");
    swi_text_put(out, members->dash ? "-]" : "]");
}

/* `from` is after the opening bracket. Returns what follows the closing one; NULL: it is missing,
 * or something is not supported. */
static const char *brackets(struct swi_text *out, const char *from)
{
    struct members members = {.negated = *from == '^'};
    from += members.negated;
    members.closing = *from == ']';
    from += members.closing;
    for (; *from && *from != ']'; from++) {
        if (*from == '\\' && from[1])
            escaped_member(&members, *++from);
        else
            swi_text_add(&members.text, from, 1);
    }
    members_write(out, &members);
    bool fine = *from && !members.failed && !members.text.failed;
    swi_text_free(&members.text);
    return fine ? from + 1 : NULL;
}

/* Returns false if it is not supported. */
static bool escape(struct swi_text *out, char c)
{
    if (c == 'D')
        swi_text_put(out, "[^0-9]");
    else if (c == 'd')
        swi_text_put(out, "[0-9]");
    else if (c == 'n' || c == 't')
        swi_text_put(out, class_members(c));
    else if (c == 'A' || c == 'Z')
        swi_text_put(out, c == 'A' ? "^" : "$");
    else if (c && strchr("<>'`", c)) /* these mean something to glibc */
        swi_text_add(out, &c, 1);
    else
        swi_text_format(out, "\\%c", c);
    return c && (!isalpha((unsigned char)c) || strchr("dDntAZsSwWbB", c));
}

/* Returns the size of the count of repetitions that begins here, or 0. */
static size_t repetitions(const char *from)
{
    size_t size = strspn(from + 1, "0123456789,") + 1;
    return *from == '{' && size > 1 && from[size] == '}' ? size + 1 : 0;
}

/* Returns the size of what begins a group that is not remembered, or has a name; or 0. */
static size_t group_start(const char *from)
{
    if (strncmp(from, "(?:", 3) == 0)
        return 3;
    return strncmp(from, "(?P<", 4) == 0 ? strcspn(from, ">") + (strchr(from, '>') != NULL) : 0;
}

/* Translates one item. Returns what follows it; NULL: it is not complete, or not supported. */
static const char *item(struct swi_text *out, const char *from, bool *repeated)
{
    size_t size = repetitions(from);
    bool lazy = *from == '?' && *repeated, repeats = size || strchr("*+?", *from);
    *repeated = repeats && !lazy;
    if (*from == '[')
        return brackets(out, from + 1);
    if (*from == '\\')
        return escape(out, from[1]) ? from + 2 : NULL;
    if (group_start(from)) {
        swi_text_put(out, "(");
        return from + group_start(from);
    }
    if (*from == '{' && !size)
        swi_text_put(out, "\\{");
    else if (!lazy)
        swi_text_add(out, from, size ? size : 1);
    return from + (size ? size : 1);
}

int python_regex(regex_t *regex, const char *pattern)
{
    struct swi_text posix = {0};
    bool repeated = false;
    while (pattern && *pattern)
        pattern = item(&posix, pattern, &repeated);
    swi_text_add(&posix, "", 1);
    int rc = REG_BADPAT;
    if (pattern && !posix.failed)
        rc = regcomp(regex, posix.data, REG_EXTENDED | REG_NOSUB);
    swi_text_free(&posix);
    return rc;
}

/* ---- quotes ---- */

void python_repr(struct swi_text *out, const char *text)
{
    char quote = strchr(text, '\'') && !strchr(text, '"') ? '"' : '\'';
    swi_text_add(out, &quote, 1);
    for (; *text; text++) {
        if (*text == '\\' || *text == quote)
            swi_text_put(out, "\\");
        swi_text_add(out, text, 1);
    }
    swi_text_add(out, &quote, 1);
}
