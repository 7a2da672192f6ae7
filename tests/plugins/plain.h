/* SPDX-License-Identifier: MIT */
/* plain.h - all of a sink's descriptor but its header and options: a sink that takes records and
 * does nothing. */
#ifndef TESTS_PLAIN_H
#define TESTS_PLAIN_H

#include <stepwatch/sink.h>

static int plain_record(void *state, const struct sw_record *record, struct sw_error *err)
{
    (void)state;
    (void)record;
    (void)err;
    return 0;
}

#define PLAIN(NAME)                                                                                \
    .name = NAME, .version = "1.0", .license = "MIT", .summary = "does nothing, for tests",        \
    .wants = SW_WANT(SW_RECORD_REPORT), .state_size = 16, .record = plain_record

#endif
