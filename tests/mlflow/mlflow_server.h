/* SPDX-License-Identifier: MIT */
/* mlflow_server.h - the stand-in for an MLflow server, tests/mlflow/server.py, for a test in C. It
 * ends with the test. */
#ifndef TESTS_MLFLOW_SERVER_H
#define TESTS_MLFLOW_SERVER_H

#include <jansson.h>
#include <stdbool.h>

/* Enters a scratch folder, starts a server there, and sets MLFLOW_TRACKING_URI to it and nothing
 * else of MLflow. faults: words apart by a blank, see server.py. Returns false if there is no
 * python3; a line that begins with SKIP was printed then. */
bool mlflow_begin(const char *faults);
void mlflow_end(void);

/* All that the server knows; the caller's to decref. */
json_t *mlflow_state(void);

/* Its only run that is not deleted, borrowed from the state. */
json_t *mlflow_run(json_t *state);

/* All requests so far, in their order; the caller's to decref. */
json_t *mlflow_requests(void);

/* Puts a journal where the sink would have: mlflow/run-20260101_000000-UID. Returns the folder. */
const char *mlflow_journal(const char *uid, const char *text);

#endif
