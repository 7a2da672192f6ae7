/* SPDX-License-Identifier: MIT */
/* load_uploader.h - finds and loads the uploader of a sink, such as wandb-upload.so, which
 * few runs need and which brings large libraries. Names of sinks have no "-", so the file cannot be
 * taken for a sink. */
#ifndef SINKS_COMMON_UPLOAD_LOAD_UPLOADER_H
#define SINKS_COMMON_UPLOAD_LOAD_UPLOADER_H

#include <stepwatch/error.h>

/* Loads the uploader beside the sink's own file; it stays loaded. symbol: its only symbol, a struct
 * that begins with `char version[32]`, the release: only that of the sink's own release is
 * accepted. Returns the struct, or NULL on failure, with the reason in err. */
const void *swi_uploader_load(const char *file_name, const char *symbol, struct sw_error *err);

#endif
