/* SPDX-License-Identifier: MIT */
/* check_rate.h - how much the sinks of a configuration store, by the number of steps a second. */
#ifndef TOOLS_COMMANDS_CHECK_RATE_H
#define TOOLS_COMMANDS_CHECK_RATE_H

#include <jansson.h>
#include <stdbool.h>

/* What the loop does. */
struct loop_rate {
    double steps_per_s;
    double values; /* that the program logs in each step */
};

/* Prints a table of the sinks in a configuration as sw_config_print() writes it. */
void check_rate_print(const char *config, const struct loop_rate *rate);

/* Returns the same as JSON, or NULL if out of memory. */
json_t *check_rate_json(const char *config, const struct loop_rate *rate);

#endif
