/* SPDX-License-Identifier: MIT */
#include "core/plugins/name.h"

#include <string.h>

enum { NAME_BYTES = 32 };

bool swi_name_valid(const char *name)
{
    size_t n = strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_");
    return n > 0 && n <= NAME_BYTES && !name[n] && name[0] >= 'a' && name[0] <= 'z';
}
