/* SPDX-License-Identifier: MIT */
#include "sinks/common/defined_rules.h"

#include <stdlib.h>
#include <string.h>

static void rule_fini(struct swi_book_rule *rule)
{
    free(rule->pattern);
    free(rule->axis);
    free(rule->unit);
    free(rule->description);
}

/* NULL stays NULL. */
static bool copy(char **to, const char *text)
{
    *to = text ? strdup(text) : NULL;
    return *to || !text;
}

static bool rule_init(struct swi_book_rule *rule, const struct sw_defined_rule *defined)
{
    const struct sw_rule *from = defined->rule;
    size_t length = strlen(defined->pattern);
    bool prefix = length && defined->pattern[length - 1] == '*';
    *rule = (struct swi_book_rule){
        .prefix = prefix, .keep = from->keep, .goal = from->goal, .hidden = from->hidden};
    rule->length = length - prefix;
    rule->pattern = strndup(defined->pattern, rule->length);
    bool copied = copy(&rule->axis, from->axis);
    copied = copy(&rule->unit, from->unit) && copied;
    return copy(&rule->description, from->description) && copied && rule->pattern;
}

/* The place of a rule of this pattern, or a new one; NULL without memory. */
static struct swi_book_rule *place_of(struct swi_defined_rules *book,
                                      const struct swi_book_rule *rule)
{
    for (size_t i = 0; i < book->count; i++)
        if (book->rule[i].prefix == rule->prefix &&
            strcmp(book->rule[i].pattern, rule->pattern) == 0) {
            rule_fini(&book->rule[i]);
            return &book->rule[i];
        }
    struct swi_book_rule *grown = realloc(book->rule, (book->count + 1) * sizeof *grown);
    if (!grown)
        return NULL;
    book->rule = grown;
    return &grown[book->count++];
}

bool swi_defined_rules_take(struct swi_defined_rules *book, const struct sw_defined_rule *defined)
{
    struct swi_book_rule rule;
    struct swi_book_rule *place = rule_init(&rule, defined) ? place_of(book, &rule) : NULL;
    if (place)
        *place = rule;
    else
        rule_fini(&rule);
    return place;
}

/* A pattern of another length than an exact name cannot match it, and most begin differently. */
static bool matches(const struct swi_book_rule *rule, const char *name, size_t size)
{
    bool fits = rule->prefix ? rule->length <= size : rule->length == size;
    return fits && (!rule->length || *name == *rule->pattern) &&
           memcmp(name, rule->pattern, rule->length) == 0;
}

static bool is_before(const struct swi_book_rule *a, const struct swi_book_rule *b)
{
    if (a->prefix != b->prefix)
        return !a->prefix;
    return a->length > b->length;
}

const struct swi_book_rule *swi_defined_rules_find(const struct swi_defined_rules *book,
                                                   const char *name, size_t size)
{
    const struct swi_book_rule *found = NULL;
    for (size_t i = 0; i < book->count; i++)
        if (matches(&book->rule[i], name, size) && (!found || is_before(&book->rule[i], found)))
            found = &book->rule[i];
    return found;
}

void swi_defined_rules_fini(struct swi_defined_rules *book)
{
    for (size_t i = 0; i < book->count; i++)
        rule_fini(&book->rule[i]);
    free(book->rule);
    *book = (struct swi_defined_rules){0};
}
