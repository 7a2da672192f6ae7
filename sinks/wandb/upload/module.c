/* SPDX-License-Identifier: MIT */
/* module.c - wandb-upload.so: the interface of the upload for the sink. */
#include "config.h"
#include "sinks/common/upload/json.h"
#include "sinks/wandb/upload/background.h"

#include <stdio.h>
#include <string.h>

static bool last_run(const char *path, char id[SWI_WANDB_VALUE])
{
    char text[512];
    FILE *file = fopen(path, "re");
    size_t size = file ? fread(text, 1, sizeof text, file) : 0;
    if (file)
        fclose(file);
    json_t *json = swi_json_read(text, size);
    snprintf(id, SWI_WANDB_VALUE, "%s", swi_json_text(json_object_get(json, "run_id")));
    json_decref(json);
    return *id != '\0';
}

extern const struct swi_uploader swi_wandb_uploader;

__attribute__((visibility("default"))) const struct swi_uploader swi_wandb_uploader = {
    .version = PACKAGE_VERSION,
    .start = swi_background_start,
    .wake = swi_background_wake,
    .pass = swi_background_pass,
    .hear = swi_background_hear,
    .stopped = swi_background_stopped,
    .end = swi_background_end,
    .last_run = last_run,
};
