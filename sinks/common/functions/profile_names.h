/* SPDX-License-Identifier: MIT */
/* profile_names.h - the functions of a profile: a number for each address, and where it lies. */
#ifndef SINKS_COMMON_FUNCTIONS_PROFILE_NAMES_H
#define SINKS_COMMON_FUNCTIONS_PROFILE_NAMES_H

#include "core/text/map.h"
#include "sinks/common/functions/profile.h"

/* The file while it is being read. */
struct profile_reader {
    const unsigned char *data;
    size_t size;
    const struct fn_header *header;
    struct profile *profile;
    double rate; /* ns per tick or per sample */
    struct swi_map addresses;
    uint64_t *address; /* of each name: by its number in the map */
    bool failed;
};

/* Marks an address that is not the entry of its function. */
#define PROFILE_INSIDE (UINT64_C(1) << 62)

/* Returns the number of an address; SIZE_MAX: none, or out of memory. */
size_t profile_name_of(struct profile_reader *in, uint64_t address);

/* Finds the object of each address. The paths are copied, because the file is not kept. */
bool profile_names_place(struct profile_reader *in);

#endif
