/* SPDX-License-Identifier: MIT */

#include "config/yaml_tree.h"
#include "core/text/printable.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- replaces environment variables in a value ----------------------------------------------- */

/* A text that is being expanded. */
struct expander {
    FILE *out;
    const struct swi_where *where;
    struct swi_mistakes *mistakes;
    struct swi_expansion result;
};

#define LETTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_"

static size_t name_length(const char *text)
{
    return strspn(text, LETTERS) ? strspn(text, LETTERS "0123456789") : 0;
}

/* Appends text up to the limit: a short text may name a long variable many times. */
static void put(struct expander *e, const char *text, size_t length)
{
    bool fits = (size_t)ftell(e->out) + length <= SWI_CONFIG_BYTES;
    if (fits)
        fwrite(text, 1, length, e->out);
    else if (!e->result.wrong)
        swi_mistakes_add(e->mistakes, e->where,
                         "the text is longer than 1 MiB after ${...} is expanded");
    e->result.wrong = e->result.wrong || !fits;
}

/* fallback NULL: the variable must be set. */
static void put_variable(struct expander *e, const char *name, const char *fallback)
{
    const char *value = secure_getenv(name);
    if (value && (*value || !fallback)) {
        put(e, value, strlen(value));
        e->result.from_environment = true;
    } else if (fallback) {
        put(e, fallback, strlen(fallback));
    } else {
        e->result.wrong = true;
        swi_mistakes_add(e->mistakes, e->where,
                         "the environment variable %s is not set: set it, or give a default: "
                         "${%s:-...}",
                         SWI_PRINTABLE(name), SWI_PRINTABLE(name));
    }
}

static bool put_named(struct expander *e, const char *inside, size_t length)
{
    size_t name = name_length(inside);
    bool has_default = strncmp(inside + name, ":-", 2) == 0;
    if (!name || (name != length && !has_default) || memmem(inside, length, "${", 2))
        return false;
    char *copy = strndup(inside, length);
    if (copy) {
        copy[name] = '\0';
        put_variable(e, copy, has_default ? copy + name + 2 : NULL);
    }
    e->result.wrong = e->result.wrong || !copy;
    free(copy);
    return true;
}

/* Handles what follows a $. Returns a pointer to the text after it. */
static const char *put_dollar(struct expander *e, const char *rest)
{
    const char *brace = *rest == '{' ? strchr(rest, '}') : NULL;
    if (*rest == '$') {
        put(e, "$", 1);
        return rest + 1;
    }
    if (brace && put_named(e, rest + 1, (size_t)(brace - rest - 1)))
        return brace + 1;
    e->result.wrong = true;
    if (*rest == '{')
        swi_mistakes_add(e->mistakes, e->where,
                         "\"$%s\" is not a variable: expected ${NAME} or ${NAME:-default}",
                         SWI_PRINTABLE(rest));
    else
        swi_mistakes_add(e->mistakes, e->where,
                         "a single $ has no meaning: write $$ for a dollar sign, or "
                         "\"${NAME}\", in quotes, for an environment variable");
    return brace ? brace + 1 : rest;
}

struct swi_expansion swi_expand(const char *text, const struct swi_where *where,
                                struct swi_mistakes *mistakes)
{
    struct expander e = {.where = where, .mistakes = mistakes};
    size_t size = 0;
    e.out = open_memstream(&e.result.text, &size);
    if (!e.out)
        return e.result;
    for (const char *dollar = strchr(text, '$'); dollar; dollar = strchr(text, '$')) {
        put(&e, text, (size_t)(dollar - text));
        text = put_dollar(&e, dollar + 1);
    }
    put(&e, text, strlen(text));
    if (fclose(e.out)) {
        free(e.result.text);
        e.result.text = NULL;
    }
    return e.result;
}

/* ---- keys that are given twice in a mapping -------------------------------------------------- */

static int by_text_then_place(const void *a, const void *b)
{
    const struct swi_node *x = *(struct swi_node *const *)a, *y = *(struct swi_node *const *)b;
    int order = strcmp(x->text, y->text);
    if (order)
        return order;
    if (x->where.line != y->where.line)
        return x->where.line < y->where.line ? -1 : 1;
    return (x->where.column > y->where.column) - (x->where.column < y->where.column);
}

static void keep_right_keys(struct swi_node *mapping)
{
    size_t kept = 0;
    for (size_t i = 0; i < mapping->count; i++)
        if (!mapping->item[i].key->wrong)
            mapping->item[kept++] = mapping->item[i];
    mapping->count = kept;
}

/* Sorts the keys, because a file may have 50,000. */
bool swi_repeated_keys_remove(struct swi_node *mapping, struct swi_mistakes *mistakes)
{
    size_t count = mapping->count;
    struct swi_node **key = count ? malloc(count * sizeof *key) : NULL;
    if (count && !key)
        return false;
    for (size_t i = 0; i < count; i++)
        key[i] = mapping->item[i].key;
    if (key)
        qsort(key, count, sizeof *key, by_text_then_place);
    size_t first = 0;
    for (size_t i = 1; i < count; i++) {
        if (strcmp(key[i]->text, key[first]->text) != 0 || key[first]->wrong) {
            first = i;
        } else if (!key[i]->wrong) {
            key[i]->wrong = true;
            if (swi_enough_mistakes(mistakes, &key[i]->where))
                continue;
            swi_mistakes_add(mistakes, &key[i]->where,
                             "the key \"%s\" is given twice; first at %d:%d: remove one of them",
                             SWI_PRINTABLE(key[i]->text), key[first]->where.line,
                             key[first]->where.column);
        }
    }
    free(key);
    keep_right_keys(mapping);
    return true;
}

/* ---- the tags of YAML, such as !!str, and what a text without one means ---------------------- */

#define CORE_TAG "tag:yaml.org,2002:"

static const char *const core_tags[][6] = {
    [SWI_NODE_TEXT] = {"str", "int", "float", "bool", "null", NULL},
    [SWI_NODE_LIST] = {"seq", NULL},
    [SWI_NODE_MAPPING] = {"map", NULL},
};

/* Returns the part of a core tag after its prefix, or NULL for another tag. */
static const char *core_tag(const char *tag)
{
    size_t prefix = strlen(CORE_TAG);
    return strncmp(tag, CORE_TAG, prefix) == 0 ? tag + prefix : NULL;
}

void swi_tag_check(struct swi_node *node, const char *tag, struct swi_mistakes *mistakes)
{
    static const char *const what[] = {"text", "a list", "a mapping"};
    const char *core = tag ? core_tag(tag) : NULL;
    if (!tag || strcmp(tag, "!") == 0)
        return;
    for (const char *const *known = core_tags[node->kind]; core && *known; known++)
        if (strcmp(core, *known) == 0)
            return;
    node->wrong = true;
    if (core)
        swi_mistakes_add(mistakes, &node->where, "the tag !!%s does not fit %s: remove it",
                         SWI_PRINTABLE(core), what[node->kind]);
    else
        swi_mistakes_add(
            mistakes, &node->where,
            "the tag %s is unknown: remove it, or put text that begins with ! in quotes",
            SWI_PRINTABLE(tag));
}

static bool is_null_text(const char *text)
{
    static const char *const nulls[] = {"", "~", "null", "Null", "NULL"};
    for (size_t i = 0; i < sizeof nulls / sizeof *nulls; i++)
        if (strcmp(text, nulls[i]) == 0)
            return true;
    return false;
}

void swi_tag_classify(struct swi_node *node, const char *tag, bool plain)
{
    const char *core = tag ? core_tag(tag) : NULL;
    bool as_text = tag && (strcmp(tag, "!") == 0 || (core && strcmp(core, "str") == 0));
    bool as_null = core && strcmp(core, "null") == 0;
    node->quoted = !plain || as_text;
    node->is_null = (!node->quoted || as_null) && is_null_text(node->text);
}
