/* SPDX-License-Identifier: MIT */
#include "core/text/vec.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static bool resize(void *items, size_t more, size_t size)
{
    /* Copied, because a pointer to another type is no `void *` to the compiler. */
    void *array;
    memcpy(&array, items, sizeof array);
    array = more < SIZE_MAX / 2 / size ? realloc(array, more * size) : NULL;
    if (!array)
        return false;
    memcpy(items, &array, sizeof array);
    return true;
}

bool swi_vec_grow(void *items, size_t count, size_t *room, size_t size)
{
    size_t more = *room ? 2 * *room : 16;
    if (count < *room)
        return true;
    if (!resize(items, more, size))
        return false;
    *room = more;
    return true;
}

bool swi_vec_reach(void *items, size_t number, size_t *room, size_t size)
{
    size_t more = 2 * number + 16;
    char *array;
    if (number < *room)
        return true;
    if (number > SIZE_MAX / 4 || !resize(items, more, size))
        return false;
    memcpy(&array, items, sizeof array);
    memset(array + *room * size, 0, (more - *room) * size);
    *room = more;
    return true;
}

bool swi_vec_room(void *items, size_t count, size_t size)
{
    return (count & (count - 1)) || resize(items, count ? 2 * count : 1, size);
}
