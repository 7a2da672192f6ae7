/* SPDX-License-Identifier: MIT */
/* tracking_key.h - names of metrics, parameters and tags as an MLflow server accepts them. */
#ifndef SINKS_MLFLOW_UPLOAD_TRACKING_KEY_H
#define SINKS_MLFLOW_UPLOAD_TRACKING_KEY_H

#include "sinks/mlflow/upload/clean_key.h"

#include <jansson.h>
#include <stdbool.h>

enum { SWI_KEY_MAX = 250 };

/* The keys of one kind. Initialise it as {0}. */
struct swi_tracking_keys {
    json_t *key_of;  /* name: key */
    json_t *name_of; /* key: name */
};

/* Returns the key of a name, the same for the same name. Another name never has it. name: as in the
 * journal, where a byte that is not UTF-8 is the text \xNN. Borrowed. Returns NULL if out of
 * memory.
 */
const char *swi_tracking_key(struct swi_tracking_keys *keys, const char *name);

/* The same after the server has refused that key: letters of ASCII alone, and no colon, from now
 * on. */
const char *swi_tracking_key_plain(struct swi_tracking_keys *keys, const char *name);
/* Returns whether every server takes a key. */
bool swi_tracking_key_is_plain(const char *key);
void swi_tracking_keys_free(struct swi_tracking_keys *keys);

#endif
