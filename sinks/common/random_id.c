/* SPDX-License-Identifier: MIT */
#include "sinks/common/random_id.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>

int swi_random_id(char id[33], struct sw_error *err)
{
    unsigned char random[16];
    if (getrandom(random, sizeof random, 0) != sizeof random)
        return sw_error_set(err, SW_EIO, "no random bytes for the run's id: %s", strerror(errno));
    for (size_t i = 0; i < sizeof random; i++)
        snprintf(id + 2 * i, 3, "%02x", random[i]);
    return 0;
}
