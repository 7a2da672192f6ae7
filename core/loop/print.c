/* SPDX-License-Identifier: MIT */
/* Prints the program's text without damaging the live line. */
#include "core/loop/state.h"
#include "core/process/own_thread.h"
#include "core/text/buffer.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* In a child, the live line belongs to the parent. After the run, there is none. */
static bool has_line(const struct sw_profiler *sw)
{
    return sw && !atomic_load(&sw->measured.dead) && !swi_is_inherited(&sw->measured);
}

static int print(struct sw_profiler *sw, const char *text, int size)
{
    int cancel = swi_cancel_hold();
    bool good = swi_live_line_print(&sw->records.messages.live, text, (size_t)size);
    swi_cancel_release(cancel);
    return good ? size : -1;
}

int sw_print(struct sw_profiler *sw, const char *format, ...)
{
    char *text = NULL;
    va_list args;
    va_start(args, format);
    int size = has_line(sw) ? vasprintf(&text, format, args) : vprintf(format, args);
    va_end(args);
    if (!text || size < 0)
        return size;
    size = print(sw, text, size);
    free(text);
    return size;
}
