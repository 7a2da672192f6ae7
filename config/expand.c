/* SPDX-License-Identifier: MIT */
#include "config/expand.h"

#include "config/yaml_limits.h"
#include "core/text/printable.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
