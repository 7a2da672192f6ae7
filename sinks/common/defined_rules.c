/* SPDX-License-Identifier: MIT */
#include "sinks/common/defined_rules.h"

#include <stdlib.h>
#include <string.h>

static void rule_fini(struct swi_stored_rule *rule)
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

static bool rule_init(struct swi_stored_rule *rule, const struct sw_defined_rule *defined)
{
    const struct sw_rule *from = defined->rule;
    size_t length = strlen(defined->pattern);
    bool prefix = length && defined->pattern[length - 1] == '*';
    *rule = (struct swi_stored_rule){
        .prefix = prefix, .keep = from->keep, .goal = from->goal, .hidden = from->hidden};
    rule->length = length - prefix;
    rule->pattern = strndup(defined->pattern, rule->length);
    bool copied = copy(&rule->axis, from->axis);
    copied = copy(&rule->unit, from->unit) && copied;
    return copy(&rule->description, from->description) && copied && rule->pattern;
}

bool swi_defined_rules_take(struct swi_defined_rules *rules, const struct sw_defined_rule *defined)
{
    struct swi_stored_rule rule;
    struct swi_stored_rule *place =
        rule_init(&rule, defined)
            ? swi_map_item(&rules->patterns, &rules->rule, sizeof *rules->rule, defined->pattern,
                           strlen(defined->pattern))
            : NULL;
    rules->count = rules->patterns.count;
    if (!place) {
        rule_fini(&rule);
        return false;
    }
    rule_fini(place);
    *place = rule;
    return true;
}

ptrdiff_t swi_defined_rules_exact(const struct swi_defined_rules *rules, const char *name,
                                  size_t size)
{
    ptrdiff_t number = swi_map_find(&rules->patterns, name, size);
    return number >= 0 && !rules->rule[number].prefix ? number : -1;
}

const struct swi_stored_rule *swi_defined_rules_find(const struct swi_defined_rules *rules,
                                                     const char *name, size_t size)
{
    ptrdiff_t exact = swi_defined_rules_exact(rules, name, size);
    const struct swi_stored_rule *found = exact < 0 ? NULL : &rules->rule[exact];
    for (size_t i = 0; exact < 0 && i < rules->count; i++) {
        const struct swi_stored_rule *rule = &rules->rule[i];
        if (rule->prefix && rule->length <= size && (!found || rule->length > found->length) &&
            memcmp(name, rule->pattern, rule->length) == 0)
            found = rule;
    }
    return found;
}

void swi_defined_rules_fini(struct swi_defined_rules *rules)
{
    for (size_t i = 0; i < rules->count; i++)
        rule_fini(&rules->rule[i]);
    free(rules->rule);
    swi_map_free(&rules->patterns);
    *rules = (struct swi_defined_rules){0};
}
