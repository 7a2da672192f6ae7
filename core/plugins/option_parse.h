/* SPDX-License-Identifier: MIT */
/* option_parse.h - text as the value of an option: its type, its range, its choices. The options of
 * sinks and the keys of the profiler are both read by this. */
#ifndef CORE_PLUGINS_OPTION_PARSE_H
#define CORE_PLUGINS_OPTION_PARSE_H

#include <stepwatch/sink.h>

#include <stdbool.h>

/* A value on its way into a state: its first swi_option_size() bytes are the field's. */
union swi_value {
    bool boolean;
    int64_t integer;
    double number;
    const char *text;
};

/* Returns the size of a field of this type in bytes, or 0 if the type is unknown. */
size_t swi_option_size(enum sw_option_type type);

bool swi_option_has_range(const struct sw_option *option);

/* One scalar; of a list, one entry. text must outlive the value. Returns 0, or SW_EINVAL with how a
 * sentence goes on that began with the text. */
int swi_option_parse(const struct sw_option *option, const char *text, union swi_value *value,
                     struct sw_error *err);

#endif
