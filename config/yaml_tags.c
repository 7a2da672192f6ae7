/* SPDX-License-Identifier: MIT */
#include "config/yaml_tags.h"

#include "config/yaml_tree.h"
#include "core/text/printable.h"

#include <string.h>

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
