/* SPDX-License-Identifier: MIT */
#include "core/text/vec.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

bool swi_vec_grow(void *items, size_t count, size_t *room, size_t size)
{
    if (count < *room)
        return true;
    size_t more = *room ? 2 * *room : 16;
    /* Copied, because a pointer to another type is no `void *` to the compiler. */
    void *array;
    memcpy(&array, items, sizeof array);
    array = more < SIZE_MAX / 2 / size ? realloc(array, more * size) : NULL;
    if (!array)
        return false;
    memcpy(items, &array, sizeof array);
    *room = more;
    return true;
}
