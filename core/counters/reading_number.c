/* SPDX-License-Identifier: MIT */
#include "core/counters/reading_number.h"

_Thread_local uint64_t swi_reading_number;
