/* SPDX-License-Identifier: MIT */
/* sweep_param.c - sw_param(): numbers that a sweep of W&B gives the program, from the file that
 * `wandb agent` writes:
 *
 *     wandb_version: 1
 *     lr:
 *       value: 0.1
 */
#include "config/yaml_tree.h"
#include "core/process/own_floats.h"
#include "core/profiler.h"
#include "core/text/parse.h"
#include "core/text/printable.h"

#include <stepwatch/stepwatch.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the file ---- */

static const struct swi_node *member(const struct swi_node *mapping, const char *name)
{
    for (size_t i = 0; mapping && mapping->kind == SWI_NODE_MAPPING && i < mapping->count; i++)
        if (strcmp(mapping->item[i].key->text, name) == 0)
            return mapping->item[i].value;
    return NULL;
}

/* Mistakes elsewhere in the file do not matter here. */
static int file_parse(struct swi_tree *tree, const char *path, struct sw_error *err)
{
    struct swi_mistakes mistakes = {0};
    char *text = NULL;
    size_t size;
    int rc = swi_source_read(path, true, &text, &size, err);
    if (rc == 0 && swi_source_check(text, size, path, &mistakes))
        rc = swi_tree_parse(tree, text, size, path, &mistakes, err);
    else if (rc == 0)
        rc = SW_ECONFIG;
    if (rc == SW_ECONFIG)
        swi_mistakes_error(&mistakes, err);
    swi_mistakes_fini(&mistakes);
    free(text);
    return rc;
}

/* ---- a value ---- */

static int number_read(const struct swi_node *node, double *value)
{
    SW_ERROR_SCOPE(ignored);
    if (node->kind != SWI_NODE_TEXT || node->quoted || node->is_null)
        return SW_EINVAL;
    struct swi_yaml_scalar is = swi_yaml_scalar(node->text);
    if (is.kind == SWI_YAML_TEXT) /* 1e5 is meant as a number here */
        return swi_parse_float(node->text, value, &ignored);
    *value = is.number;
    return is.kind == SWI_YAML_NULL || !isfinite(is.number) ? SW_EINVAL : 0;
}

/* Returns 1 and sets value, 0 if the sweep does not have the name, or a code with the reason. */
static int value_read(const struct swi_tree *tree, const char *name, double *value,
                      struct sw_error *err)
{
    const struct swi_node *node = member(member(tree->root, name), "value");
    if (!node)
        return 0;
    if (number_read(node, value) == 0)
        return 1;
    bool text = node->kind == SWI_NODE_TEXT && !node->is_null;
    return sw_error_set(err, SW_EINVAL, "the sweep's %s is %s%.100s%s, expected a number",
                        SWI_PRINTABLE(name), text ? "\"" : "",
                        text ? SWI_PRINTABLE(node->text) : "a list, a mapping or nothing",
                        text ? "\"" : "");
}

static int param_read(const char *path, const char *name, double *value, struct sw_error *err)
{
    struct swi_tree tree = {0};
    int rc = file_parse(&tree, path, err);
    if (rc < 0)
        sw_error_prefix(err, "WANDB_SWEEP_PARAM_PATH");
    else
        rc = value_read(&tree, name, value, err);
    swi_tree_fini(&tree);
    return rc;
}

static void fallback_say(struct sw_profiler *sw, struct sw_error *err, double fallback)
{
    char text[1024];
    snprintf(text, sizeof text, "%.900s: %s is used", sw_error_text(err), SWI_FLOAT(fallback));
    swi_profiler_warn(sw, text);
}

double sw_param(struct sw_profiler *sw, const char *name, double fallback)
{
    SWI_OWN_FLOATS;
    SW_ERROR_SCOPE(err);
    const char *path = secure_getenv("WANDB_SWEEP_PARAM_PATH");
    double value = fallback;
    if (!name)
        return fallback;
    if (path && *path && param_read(path, name, &value, &err) < 0)
        fallback_say(sw, &err, fallback);
    sw_hparam_float(sw, name, value);
    return value;
}
