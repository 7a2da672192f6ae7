/* SPDX-License-Identifier: MIT */
/* lacking.h - what a program logs and MLflow has no place for. */
#ifndef SINKS_MLFLOW_LACKING_H
#define SINKS_MLFLOW_LACKING_H

#include "sinks/mlflow/mlflow_sink.h"

enum { SWI_LACKS_CAPTIONS = 1, SWI_LACKS_RULES = 2, SWI_LACKS_ALIASES = 4 };

/* Says it, once for each kind. */
static inline void swi_mlflow_lacks(struct mlflow *m, unsigned kind, const char *text)
{
    if (!(m->lacking & kind))
        sw_sink_say(m->sink, 0, "%s", text);
    m->lacking |= kind;
}

#endif
