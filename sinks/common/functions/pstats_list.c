/* SPDX-License-Identifier: MIT */
#include "sinks/common/functions/pstats.h"

#include <ctype.h>
#include <errno.h>
#include <locale.h>
#include <math.h>
#include <regex.h>
#include <stdlib.h>
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

/* An expression, and the locale in which regcomp() and regexec() take UTF-8 for characters. The
 * program's own one may be "C". */
struct pattern {
    regex_t regex;
    locale_t utf8; /* 0: there is none */
};

static int pattern_compile(struct pattern *pattern, const char *posix)
{
    *pattern = (struct pattern){.utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0)};
    locale_t before = uselocale(pattern->utf8);
    int rc = regcomp(&pattern->regex, posix, REG_EXTENDED | REG_NOSUB);
    uselocale(before);
    if (rc != 0 && pattern->utf8)
        freelocale(pattern->utf8);
    return rc;
}

static bool pattern_finds(const struct pattern *pattern, const char *text)
{
    locale_t before = uselocale(pattern->utf8);
    int rc = regexec(&pattern->regex, text, 0, NULL, 0);
    uselocale(before);
    return rc == 0;
}

static void pattern_free(struct pattern *pattern)
{
    regfree(&pattern->regex);
    if (pattern->utf8)
        freelocale(pattern->utf8);
}

/* Compiles an expression of Python, without subexpressions. Returns what regcomp() returns, and
 * REG_BADPAT for a backslash and a letter that is none of A, b, B, d, D, n, s, S, t, w, W and Z, or
 * in brackets none of d, n, s, t and w. Flags, look-around and Unicode classes are not supported.
 */
static int pattern_new(struct pattern *pattern, const char *python)
{
    struct swi_text posix = {0};
    bool repeated = false;
    while (python && *python)
        python = item(&posix, python, &repeated);
    swi_text_add(&posix, "", 1);
    int rc = REG_BADPAT;
    if (python && !posix.failed)
        rc = pattern_compile(pattern, posix.data);
    swi_text_free(&posix);
    return rc;
}

/* ---- quotes ---- */

/* Appends the text in quotes, as repr() does; control characters are left as they are. */
static void python_repr(struct swi_text *out, const char *text)
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

/* ---- sort keys ---- */

enum sort {
    CALLS,
    PRIMITIVE,
    INTERNAL,
    CUMULATIVE,
    FILE_NAME,
    LINE,
    NAME,
    NAME_FILE_LINE,
    STANDARD
};

static const struct {
    const char *key, *shown;
    enum sort sort;
} keys[] = {
    {"calls", "call count", CALLS},
    {"ncalls", "call count", CALLS},
    {"pcalls", "primitive call count", PRIMITIVE},
    {"time", "internal time", INTERNAL},
    {"tottime", "internal time", INTERNAL},
    {"cumulative", "cumulative time", CUMULATIVE},
    {"cumtime", "cumulative time", CUMULATIVE},
    {"filename", "file name", FILE_NAME},
    {"module", "file name", FILE_NAME},
    {"line", "line number", LINE},
    {"name", "function name", NAME},
    {"nfl", "name/file/line", NAME_FILE_LINE},
    {"stdname", "standard name", STANDARD},
};
enum { KEYS = sizeof keys / sizeof *keys };

/* Returns the number of a key, which may be abbreviated if that is unique, or -1. */
static int key_find(const char *text)
{
    int found = -1, count = 0;
    for (int i = 0; i < KEYS; i++) {
        if (strcmp(keys[i].key, text) == 0)
            return i;
        if (*text && strncmp(keys[i].key, text, strlen(text)) == 0) {
            found = i;
            count++;
        }
    }
    return count == 1 ? found : -1;
}

static int by_number(double a, double b)
{
    return a > b ? -1 : a < b;
}

static int by_text(const char *a, const char *b)
{
    return strcmp(a, b);
}

static int compare_by(enum sort sort, const struct pstats_row *a, const struct pstats_row *b)
{
    const struct function *f = a->function, *g = b->function;
    int names;
    switch (sort) {
    case CALLS:
        return by_number((double)f->counts.nc, (double)g->counts.nc);
    case PRIMITIVE:
        return by_number((double)f->counts.cc, (double)g->counts.cc);
    case INTERNAL:
        return by_number(f->counts.tt, g->counts.tt);
    case CUMULATIVE:
        return by_number(f->counts.ct, g->counts.ct);
    case FILE_NAME:
        return by_text(f->file, g->file);
    case LINE:
        return by_number((double)g->line, (double)f->line);
    case NAME:
        return by_text(f->name, g->name);
    case NAME_FILE_LINE:
        names = by_text(f->name, g->name);
        if (!names)
            names = by_text(f->file, g->file);
        return names ? names : by_number((double)g->line, (double)f->line);
    default:
        return by_text(a->shown, b->shown);
    }
}

struct order {
    enum sort sort[PSTATS_SORTS];
    int count;
};

/* Equal rows stay in order. */
static int rows_compare(const void *a, const void *b, void *arg)
{
    const struct order *order = arg;
    const struct pstats_row *x = a, *y = b;
    for (int i = 0; i < order->count; i++) {
        int result = compare_by(order->sort[i], x, y);
        if (result)
            return result;
    }
    return x->number < y->number ? -1 : 1;
}

void pstats_rows_free(struct pstats_row *rows, size_t count)
{
    for (size_t i = 0; rows && i < count; i++)
        free(rows[i].shown);
    free(rows);
}

static void rows_sort(struct pstats_row *rows, size_t count, const struct pstats *how)
{
    struct order order = {.count = 0};
    for (int i = 0; i < PSTATS_SORTS && how->sort[i]; i++)
        order.sort[order.count++] = keys[key_find(how->sort[i])].sort;
    if (order.count)
        qsort_r(rows, count, sizeof *rows, rows_compare, &order);
    for (size_t i = 0; order.count && how->reverse && i < count / 2; i++) {
        struct pstats_row swapped = rows[i];
        rows[i] = rows[count - 1 - i];
        rows[count - 1 - i] = swapped;
    }
}

/* ---- restrictions ---- */

enum kind { FIRST, SHARE, PATTERN };

/* Returns the kind of a restriction: an integer, a fraction, or a regular expression. 1.0 is a
 * fraction that leaves out nothing. */
static enum kind restriction_of(const char *text, double *value)
{
    char *end;
    errno = 0;
    *value = strtod(text, &end);
    if (end == text || *end || !isfinite(*value) || strpbrk(text, "xXpP"))
        return PATTERN;
    return strpbrk(text, ".eE") ? SHARE : FIRST;
}

static size_t rows_match(struct pstats_row *rows, size_t count, const char *text)
{
    struct pattern pattern;
    size_t kept = 0;
    if (pattern_new(&pattern, text) != 0)
        return count;
    for (size_t i = 0; i < count; i++) {
        struct pstats_row row = rows[i];
        if (pattern_finds(&pattern, row.shown)) {
            rows[i] = rows[kept];
            rows[kept++] = row;
        }
    }
    pattern_free(&pattern);
    return kept;
}

/* Prints a value in the format of Python. */
static void restriction_print(struct swi_text *reduced, const char *text, enum kind kind)
{
    if (kind == PATTERN)
        python_repr(reduced, text);
    else
        swi_text_put(reduced, text);
}

/* Moves the rows that a restriction keeps to the front and returns their number. */
static size_t rows_restrict(struct pstats_row *rows, size_t count, const char *text,
                            struct swi_text *reduced)
{
    double value;
    enum kind kind = restriction_of(text, &value);
    size_t kept = count;
    if (kind == PATTERN)
        kept = rows_match(rows, count, text);
    else if (kind == SHARE && value >= 0 && value < 1)
        kept = (size_t)((double)count * value + 0.5);
    else if (kind == FIRST && value >= 0 && value < (double)count)
        kept = (size_t)value;
    if (kept == count)
        return count;
    swi_text_format(reduced, "   List reduced from %zu to %zu due to restriction <", count, kept);
    restriction_print(reduced, text, kind);
    swi_text_put(reduced, ">\n");
    return kept;
}

struct pstats_row *pstats_rows_new(const struct stats *stats, const struct pstats *how,
                                   size_t *count, struct swi_text *reduced)
{
    struct pstats_row *rows = calloc(stats->count + 1, sizeof *rows);
    bool fine = rows != NULL;
    for (size_t i = 0; fine && i < stats->count; i++) {
        rows[i] = (struct pstats_row){&stats->function[i], i, function_shown(&stats->function[i])};
        fine = rows[i].shown != NULL;
    }
    if (!fine) {
        pstats_rows_free(rows, stats->count);
        return NULL;
    }
    *count = stats->count;
    rows_sort(rows, *count, how);
    for (int i = 0; how->restrict_to[i]; i++)
        *count = rows_restrict(rows, *count, how->restrict_to[i], reduced);
    return rows;
}

int pstats_check(const struct pstats *how, struct sw_error *err)
{
    int sorts = 0;
    for (; how->sort[sorts]; sorts++)
        if (sorts == PSTATS_SORTS || key_find(how->sort[sorts]) < 0)
            return sw_error_set(err, SW_EINVAL,
                                "unknown sort key \"%s\": expected calls, pcalls, tottime, "
                                "cumulative, filename, line, name, nfl or stdname",
                                how->sort[sorts]);
    for (int i = 0; how->restrict_to[i]; i++) {
        double value;
        struct pattern pattern;
        if (restriction_of(how->restrict_to[i], &value) != PATTERN)
            continue;
        if (pattern_new(&pattern, how->restrict_to[i]) != 0)
            return sw_error_set(err, SW_EINVAL,
                                "\"%s\" is not a number of rows, a fraction or a regular "
                                "expression",
                                how->restrict_to[i]);
        pattern_free(&pattern);
    }
    return 0;
}

const char *pstats_order_name(const char *key)
{
    return keys[key_find(key)].shown;
}
