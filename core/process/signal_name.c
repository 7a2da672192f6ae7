/* SPDX-License-Identifier: MIT */
#include "core/process/signal_name.h"

#include <signal.h>
#include <stddef.h>

static const struct {
    int number;
    const char *name;
} names[] = {
    {SIGINT, "SIGINT"}, {SIGTERM, "SIGTERM"}, {SIGHUP, "SIGHUP"}, {SIGSEGV, "SIGSEGV"},
    {SIGBUS, "SIGBUS"}, {SIGFPE, "SIGFPE"},   {SIGILL, "SIGILL"}, {SIGABRT, "SIGABRT"},
};

const char *swi_signal_name(int signal)
{
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i].number == signal)
            return names[i].name;
    return NULL;
}
