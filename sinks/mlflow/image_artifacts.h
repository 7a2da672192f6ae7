/* SPDX-License-Identifier: MIT */
/* image_artifacts.h - images as the client's log_image() writes them. */
#ifndef SINKS_MLFLOW_IMAGE_ARTIFACTS_H
#define SINKS_MLFLOW_IMAGE_ARTIFACTS_H

#include "sinks/mlflow/mlflow_sink.h"

/* Writes the images of a value, and adds the lines that upload them. */
void swi_mlflow_images(struct mlflow *m, const struct sw_record *record);

#endif
