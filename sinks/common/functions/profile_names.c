/* SPDX-License-Identifier: MIT */
#include "sinks/common/functions/profile_names.h"

#include <stdlib.h>
#include <string.h>

size_t profile_name_of(struct profile_reader *in, uint64_t address)
{
    if (!address)
        return SIZE_MAX;
    uint64_t *at = swi_map_item(&in->addresses, &in->address, sizeof *at, &address, sizeof address);
    in->failed |= !at;
    if (!at)
        return SIZE_MAX;
    *at = address;
    in->profile->name_count = in->addresses.count;
    return (size_t)(at - in->address);
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
