/* SPDX-License-Identifier: MIT */
#include "core/plugins/option_check.h"

#include "core/plugins/name.h"
#include "core/plugins/option_names.h"
#include "core/plugins/option_parse.h"
#include "core/text/parse.h"
#include "core/text/printable.h"

#include <string.h>

static int fallback_check(const struct sw_option *option, struct sw_error *err)
{
    union swi_value value;
    SW_ERROR_SCOPE(clause);
    if (!option->fallback || option->type == SW_OPTION_LIST || option->type == SW_OPTION_PATHS)
        return 0;
    if (option->required)
        return sw_error_set(err, SW_ESINK, "option %s is required but has a fallback",
                            option->name);
    if (swi_option_parse(option, option->fallback, &value, &clause) == 0)
        return 0;
    return sw_error_set(err, SW_ESINK, "option %s: its fallback \"%s\" %s", option->name,
                        SWI_PRINTABLE(option->fallback), sw_error_text(&clause));
}

static int option_check(const struct sw_option *option, size_t state_size, struct sw_error *err)
{
    size_t size = swi_option_size(option->type);
    if (!swi_name_valid(option->name))
        return sw_error_set(err, SW_ESINK,
                            "option \"%s\" is not a valid name: expected a to z, 0 to 9 and _, at "
                            "most 32, a letter first",
                            SWI_PRINTABLE(option->name));
    if (size == 0)
        return sw_error_set(err, SW_ESINK, "option %s: type %d does not exist", option->name,
                            (int)option->type);
    if (option->offset > state_size || state_size - option->offset < size)
        return sw_error_set(
            err, SW_ESINK,
            "option %s: its field at offset %zu is not within the %zu bytes of state_size",
            option->name, option->offset, state_size);
    if (option->type == SW_OPTION_MAP && option->fallback)
        return sw_error_set(err, SW_ESINK, "option %s is a mapping, which cannot have a fallback",
                            option->name);
    if (!option->help)
        return sw_error_set(err, SW_ESINK, "option %s has no help", option->name);
    if (option->type == SW_OPTION_CHOICE && (!option->choices || !*option->choices))
        return sw_error_set(err, SW_ESINK, "option %s has no choices", option->name);
    if (swi_option_has_range(option) && !(option->min <= option->max))
        return sw_error_set(err, SW_ESINK, "option %s: its range %s..%s is empty", option->name,
                            SWI_FLOAT(option->min), SWI_FLOAT(option->max));
    return fallback_check(option, err);
}

int swi_options_check(const struct sw_option *options, size_t state_size, struct sw_error *err)
{
    for (const struct sw_option *option = options; option && option->name; option++) {
        if (option - options == SWI_OPTION_NAMES_MAX)
            return sw_error_set(err, SW_ESINK,
                                "its option table has more than %d entries: is the last one, "
                                "with the name NULL, missing?",
                                SWI_OPTION_NAMES_MAX);
        int rc = option_check(option, state_size, err);
        if (rc < 0)
            return rc;
        for (const struct sw_option *other = options; other < option; other++)
            if (strcmp(other->name, option->name) == 0)
                return sw_error_set(err, SW_ESINK, "option %s is in its table twice", option->name);
    }
    return 0;
}
