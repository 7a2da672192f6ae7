/* SPDX-License-Identifier: MIT */
/* unsupported.h - what a program logs and MLflow has no place for. */
#ifndef SINKS_MLFLOW_UNSUPPORTED_H
#define SINKS_MLFLOW_UNSUPPORTED_H

#include "sinks/mlflow/mlflow_sink.h"

enum { SWI_UNSUPPORTED_CAPTIONS = 1, SWI_UNSUPPORTED_RULES = 2, SWI_UNSUPPORTED_ALIASES = 4 };

/* Says it, once for each kind. */
static inline void swi_mlflow_unsupported(struct mlflow *m, unsigned kind, const char *text)
{
    if (!(m->unsupported & kind))
        sw_sink_say(m->sink, 0, "%s", text);
    m->unsupported |= kind;
}

#endif
