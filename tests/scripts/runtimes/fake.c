/* SPDX-License-Identifier: MIT */
/* A library that looks like that of a runtime to whoever asks whose a signal's handler is. SECTION,
 * EXPORTED and NAMED are what is seen of the runtime: a section, a function for other objects, and
 * the name of the handler. FLAGS: of the action. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef SECTION
__attribute__((section(SECTION), used)) static const char in_section[] = "of functions";
#endif

#ifdef EXPORTED
void EXPORTED(void);
void EXPORTED(void)
{
}
#endif

#ifdef NAMED
static void handler(int signal) __asm__(NAMED);
#endif
static void handler(int number)
{
    static const char words[] = "the runtime's own words\n";
    if (write(STDERR_FILENO, words, sizeof words - 1) < 0)
        _exit(96);
    signal(number, SIG_DFL);
    raise(number);
}

#ifndef FLAGS
#define FLAGS 0
#endif

/* Installs the handler before the program begins. */
__attribute__((constructor)) static void begin(void)
{
    struct sigaction action = {.sa_handler = handler, .sa_flags = FLAGS};
    sigaction(getenv("HANDLED") && strcmp(getenv("HANDLED"), "term") == 0 ? SIGTERM : SIGSEGV,
              &action, NULL);
}
