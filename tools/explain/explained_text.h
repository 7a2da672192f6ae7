/* SPDX-License-Identifier: MIT */
/* explained_text.h - prints findings for people. */
#ifndef TOOLS_EXPLAIN_EXPLAINED_TEXT_H
#define TOOLS_EXPLAIN_EXPLAINED_TEXT_H

#include "tools/explain/explained.h"

void explained_print(const struct explained *explained);

#endif
