/* SPDX-License-Identifier: MIT */
/* rich_log.h - logs one value of each kind, by formulas that readback.py knows. */
#ifndef TESTS_MLFLOW_RICH_LOG_H
#define TESTS_MLFLOW_RICH_LOG_H

#include <stepwatch/stepwatch.h>

/* Writes two files into the working folder, for sw_log_file(). */
void rich_log(struct sw_profiler *sw);

#endif
