/* SPDX-License-Identifier: MIT */
#include "core/plugins/option_names.h"

#include "core/text/nearest.h"

#include <stdio.h>
#include <string.h>

/* ---- whether a name is valid ----------------------------------------------------------------- */

enum { NAME_BYTES = 32 };

bool swi_name_valid(const char *name)
{
    size_t n = strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_");
    return n > 0 && n <= NAME_BYTES && !name[n] && name[0] >= 'a' && name[0] <= 'z';
}

/* ---- names of options ------------------------------------------------------------------------ */

void swi_option_names_of_choices(struct swi_option_names *names, const char *choices)
{
    names->count = 0;
    snprintf(names->text, sizeof names->text, "%s", choices);
    char *rest = NULL;
    for (char *at = strtok_r(names->text, "|", &rest); at && names->count < SWI_OPTION_NAMES_MAX;
         at = strtok_r(NULL, "|", &rest))
        names->item[names->count++] = at;
}

void swi_option_names_of_options(struct swi_option_names *names, const struct sw_option *options)
{
    names->count = 0;
    for (const struct sw_option *o = options; o && o->name && names->count < SWI_OPTION_NAMES_MAX;
         o++)
        names->item[names->count++] = o->name;
}

const char *swi_option_names_join(const struct swi_option_names *names, char *text, size_t size)
{
    size_t used = 0;
    snprintf(text, size, "none");
    for (size_t i = 0; i < names->count && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%s", i ? ", " : "", names->item[i]);
    return text;
}

bool swi_option_names_have(const struct swi_option_names *names, const char *word)
{
    for (size_t i = 0; i < names->count; i++)
        if (strcmp(names->item[i], word) == 0)
            return true;
    return false;
}

const char *swi_option_names_hint(const struct swi_option_names *names, const char *word,
                                  char *text, size_t size)
{
    const char *nearest = swi_nearest(word, names->item, names->count);
    text[0] = '\0';
    if (nearest)
        snprintf(text, size, "; did you mean %s?", nearest);
    return text;
}
