/* SPDX-License-Identifier: MIT */
/* placeholder_text.h - {rank}, {host} and others in a text: finding them, and their values. */
#ifndef CORE_PLUGINS_PLACEHOLDER_TEXT_H
#define CORE_PLUGINS_PLACEHOLDER_TEXT_H

#include "core/text/buffer.h"
#include "core/text/config_mistakes.h"

#include <stepwatch/sink.h>

enum swi_placeholder {
    SWI_NAME_PLACEHOLDER,
    SWI_TIME_PLACEHOLDER,
    SWI_PID_PLACEHOLDER,
    SWI_RANK_PLACEHOLDER,
    SWI_WORLD_SIZE_PLACEHOLDER,
    SWI_LOCAL_RANK_PLACEHOLDER,
    SWI_HOST_PLACEHOLDER,
    SWI_JOB_PLACEHOLDER,
    SWI_ATTEMPT_PLACEHOLDER,
    SWI_RUN_PLACEHOLDER,
    SWI_PLACEHOLDERS,
    SWI_NO_PLACEHOLDER = -1
};

/* Returns whether a text has a placeholder. */
bool swi_placeholder_in(const char *text, enum swi_placeholder placeholder);

/* Adds a mistake for each placeholder of a text that is unknown, or has no value. */
void swi_placeholders_check_text(const char *prefix, const char *text,
                                 const struct swi_where *where, bool has_id,
                                 struct swi_mistakes *mistakes);

/* Adds a text with its values. pattern: writes * for what differs between ranks. */
void swi_placeholders_expand(struct swi_text *out, const char *text, const struct sw_run *run,
                             bool pattern);

/* Adds a name of the user or of the machine so that it is a single part of a path and not a hidden
 * file. */
void swi_placeholder_name(struct swi_text *out, const char *name);

#endif
