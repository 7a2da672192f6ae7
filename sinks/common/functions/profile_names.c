/* SPDX-License-Identifier: MIT */
#include "sinks/common/functions/profile_names.h"

#include <stdlib.h>
#include <string.h>

static size_t *address_place(const struct profile_reader *in, uint64_t address)
{
    size_t at = (size_t)(address * UINT64_C(0x9e3779b97f4a7c15) >> 20) % in->index_size;
    while (in->index[at] && in->address[in->index[at] - 1] != address)
        at = (at + 1) % in->index_size;
    return &in->index[at];
}

bool profile_addresses_grow(struct profile_reader *in)
{
    struct profile *profile = in->profile;
    size_t size = in->index_size ? 2 * in->index_size : 256;
    size_t *index = calloc(size, sizeof *index);
    uint64_t *address = realloc(in->address, size / 2 * sizeof *address);
    if (address)
        in->address = address;
    if (!index || !address) {
        free(index);
        in->failed = true;
        return false;
    }
    free(in->index);
    in->index = index;
    in->index_size = size;
    for (size_t i = 0; i < profile->name_count; i++)
        /* NOLINTNEXTLINE(clang-analyzer-core.CallAndMessage): there are so many */
        *address_place(in, address[i]) = i + 1;
    return true;
}

size_t profile_name_of(struct profile_reader *in, uint64_t address)
{
    struct profile *profile = in->profile;
    if (!address || (profile->name_count + 1 > in->index_size / 2 && !profile_addresses_grow(in)))
        return SIZE_MAX;
    size_t *place = address_place(in, address);
    if (!*place) {
        in->address[profile->name_count] = address;
        *place = ++profile->name_count;
    }
    return *place - 1;
}

/* ---- objects ---- */

static const char *path_at(const struct profile_reader *in, uint32_t at)
{
    const char *names = (const char *)in->data + fn_names_at();
    return at < FN_NAMES && memchr(names + at, '\0', FN_NAMES - at) ? names + at : "";
}

static uint32_t place_count(const struct profile_reader *in)
{
    uint32_t count = in->header->places;
    return count < FN_PLACES ? count : FN_PLACES;
}

static void name_place(const struct profile_reader *in, uint64_t address,
                       struct function_name *name)
{
    const struct fn_place *place = (const struct fn_place *)(in->data + fn_places_at());
    uint32_t count = place_count(in);
    bool inside = address & PROFILE_INSIDE;
    address &= ~PROFILE_INSIDE;
    *name = (struct function_name){.object = "", .offset = address, .inside = inside};
    if (address & FN_GONE) {
        uint32_t number = FN_GONE_PLACE(address);
        name->offset = FN_GONE_OFFSET(address);
        name->object = number < count ? path_at(in, place[number].path) : "";
        return;
    }
    for (uint32_t i = count; i-- > 0;) {
        if (address < place[i].start || address >= place[i].end)
            continue;
        name->object = path_at(in, place[i].path);
        name->offset = address - place[i].start + place[i].offset;
        if (!place[i].gone)
            return;
    }
}

bool profile_names_place(struct profile_reader *in)
{
    struct profile *profile = in->profile;
    profile->names = calloc(profile->name_count + 1, sizeof *profile->names);
    for (size_t i = 0; profile->names && i < profile->name_count; i++) {
        struct function_name *name = &profile->names[i];
        name_place(in, in->address[i], name);
        if (in->address[i] == ((FN_DEEPER - 1) | PROFILE_INSIDE)) {
            name->function = strdup("(deeper)");
            name->file = strdup("~");
        }
        if (!(name->object = strdup(name->object)))
            return false;
    }
    return profile->names != NULL;
}
