/* SPDX-License-Identifier: MIT */
/* send_run_files.h - sends the files of a run, and its report as files, as artifacts. */
#ifndef SINKS_MLFLOW_UPLOAD_SEND_RUN_FILES_H
#define SINKS_MLFLOW_UPLOAD_SEND_RUN_FILES_H

#include "sinks/mlflow/upload/run_upload.h"

/* A file that cannot be sent is said and counted, and does not end the upload. Returns 0, or
 * SW_ETIME. */
int swi_run_files_send(struct swi_run_upload *upload, struct sw_error *err);

/* Sends the file of the program's lines as it is, if there is one. */
int swi_run_output_send(struct swi_run_upload *upload, struct sw_error *err);

#endif
