/* SPDX-License-Identifier: MIT */
/* state_file.h - LOG.upload: how much of a log has been uploaded, as a JSON object. */
#ifndef NET_STATE_FILE_H
#define NET_STATE_FILE_H

#include <stepwatch/error.h>

#include <jansson.h>
#include <stdbool.h>

/* Returns the object, for which the caller calls json_decref(); NULL if the file is missing or is
 * not valid JSON. */
json_t *swi_state_load(const char *log_path);

/* Replaces the file at once, so that readers see the old or the new state. state: its reference is
 * taken over; NULL counts as out of memory. lasting: waits until the disk has it. Returns 0, SW_EIO
 * or SW_ENOMEM. */
int swi_state_save(const char *log_path, json_t *state, bool lasting, struct sw_error *err);

#endif
