/* SPDX-License-Identifier: MIT */
/* A handler is recognised by the file in which its code lies, and by the name of its function. One
 * that nobody knows is left alone. */
#include "core/process/handlers.h"
#include "core/process/object_file.h"

#include <stepwatch/stepwatch.h>

#include <dlfcn.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

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

#define COUNT(array) (sizeof(array) / sizeof *(array))

static const int ends[] = {SIGINT, SIGTERM, SIGHUP, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
enum { ENDS = COUNT(ends), ASKED = 3 };

/* Handlers that may follow ours, as found when a profiler was opened. */
static _Atomic uintptr_t followers[ENDS];

/* ---- copies of stepwatch --------------------------------------------------------------------- */

/* Copies of this library in one program recognise each other's handlers by their signal masks,
 * which are not needed otherwise. If a module and the program each have a copy, both have a report
 * to write. */
enum { MARK = 24 };

static bool in_mark(int i)
{
    return 0x5a3ac5 >> i & 1;
}

void swi_handler_mark(struct sigaction *action)
{
    sigemptyset(&action->sa_mask);
    for (int i = 0; i < MARK; i++)
        if (in_mark(i))
            sigaddset(&action->sa_mask, SIGRTMIN + i);
}

static bool is_marked(const struct sigaction *action)
{
    bool equal = true;
    for (int i = 0; i < MARK; i++)
        equal = equal && sigismember(&action->sa_mask, SIGRTMIN + i) == in_mark(i);
    return equal;
}

/* ---- what is known of handlers --------------------------------------------------------------- */

/* A runtime with handlers of its own, recognised by the first mark that is given: the beginning of
 * its library's name, a function that it exports, or a section of its file. The texts follow "no
 * report is made if it ends the program". NULL: the runtime then calls exit() or abort(), so one is
 * made. */
struct runtime {
    const char *name, *library, *function, *section;
    const char *asked, *crash;
};

static const char in_go[] =
    ", nor at a panic, at os.Exit() or at the end of main(): call signal.Notify(), and sw_close() "
    "by `defer` in main()";
static const char at_a_crash[] = "; `stepwatch report RUN.jsonl` makes one from a run log";

/* The last one is any program. */
static const struct runtime runtimes[] = {
    {.name = "the JVM", .library = "libjvm.so"},
    {.name = "Go", .section = ".gopclntab", .asked = in_go, .crash = in_go},
    {.name = "Python",
     .function = "PyOS_setsig",
     .asked = "; call sw_close() in `finally`, or end with sys.exit()",
     .crash = at_a_crash},
    {.name = "Ruby", .function = "ruby_default_signal", .asked = "; call sw_close() in `ensure`"},
    {.name = "Node.js",
     .function = "napi_module_register",
     .asked = "; call sw_close() or process.exit() in process.on()",
     .crash = at_a_crash},
    {.asked = ", unless the program calls sw_close() or exit()", .crash = at_a_crash},
};

/* Handlers that print something, or restore the terminal, and then let the signal end the program,
 * by the beginning of their library's name or a part of their function's. */
static const struct {
    const char *library, *function;
    bool asked; /* of signals that ask the program to end, else of crashes */
} reporters[] = {
    {.library = "libgfortran.so"},
    {.function = "_gfortrani_backtrace_handler"},         /* -static-libgfortran */
    {.function = "14stack_overflow3imp14signal_handler"}, /* Rust's standard library */
    {.function = "faulthandler_fatal_error"},             /* Python */
    {.function = "_ZN4node10SignalExitE", .asked = true}, /* Node.js */
    {.function = "sanOnDeadlySignal"},                    /* sanitizers of clang */
    {.library = "libasan.so"},
    {.library = "libtsan.so"},
    {.library = "libopen-pal.so"}, /* Open MPI */
};

/* ---- whose a handler is ---------------------------------------------------------------------- */

struct handler {
    int signal;
    bool asked;   /* the signal asks the program to end; else it is a crash */
    bool foreign; /* neither the default action nor stepwatch's */
    bool follows; /* it may follow ours */
    struct sigaction action;
    Dl_info at;      /* dli_fname NULL: nobody knows where the code is */
    bool in_program; /* and not in a library */
    const struct runtime *runtime;
};

static const void *code_of(const struct handler *handler)
{
    return (const void *)(uintptr_t)handler->action.sa_handler;
}

static bool lies_in(const struct handler *handler, const char *library)
{
    const char *path = handler->at.dli_fname, *slash = path ? strrchr(path, '/') : NULL;
    const char *name = slash ? slash + 1 : path;
    return name && library && !handler->in_program && strncmp(name, library, strlen(library)) == 0;
}

static bool is_of(const struct handler *handler, const struct swi_object_file *file,
                  const struct runtime *runtime)
{
    if (runtime->library)
        return lies_in(handler, runtime->library);
    if (runtime->section)
        return swi_object_file_has_section(file, runtime->section);
    return !runtime->function || swi_object_file_has(file, runtime->function, true);
}

/* Python's other handlers do not interrupt themselves. A Python without symbols has no other mark.
 */
static bool is_faulthandler(const struct handler *handler)
{
    return !handler->asked && handler->action.sa_flags & SA_NODEFER && handler->runtime->name &&
           strcmp(handler->runtime->name, "Python") == 0;
}

static bool is_reporter(const struct handler *handler, const struct swi_object_file *file)
{
    char function[512];
    swi_object_file_function(file, handler->at.dli_fbase, code_of(handler), function,
                             sizeof function);
    for (size_t i = 0; i < COUNT(reporters); i++)
        if (reporters[i].asked == handler->asked &&
            (lies_in(handler, reporters[i].library) ||
             (reporters[i].function && strstr(function, reporters[i].function))))
            return true;
    return is_faulthandler(handler);
}

/* The loader's name of the program itself is what its caller chose. */
static void place_find(struct handler *handler)
{
    Dl_info program;
    if (!dladdr(code_of(handler), &handler->at))
        handler->at = (Dl_info){0};
    handler->in_program = dladdr((const void *)getauxval(AT_PHDR), &program) != 0 &&
                          program.dli_fbase == handler->at.dli_fbase;
}

static void handler_recognise(struct handler *handler)
{
    struct swi_object_file file;
    place_find(handler);
    swi_object_file_open(&file, handler->in_program     ? "/proc/self/exe"
                                : handler->at.dli_fname ? handler->at.dli_fname
                                                        : "");
    handler->runtime = runtimes;
    while (!is_of(handler, &file, handler->runtime))
        handler->runtime++;
    handler->follows = is_reporter(handler, &file);
    swi_object_file_close(&file);
}

/* Returns a handler before that has the same code and was recognised for the same kind of signal.
 */
static const struct handler *find_same(const struct handler *all, const struct handler *handler)
{
    for (const struct handler *at = all; at < handler; at++)
        if (at->foreign && code_of(at) == code_of(handler) && at->asked == handler->asked)
            return at;
    return NULL;
}

static void handler_check(struct handler *all, int i)
{
    struct handler *handler = &all[i];
    *handler = (struct handler){.signal = ends[i], .asked = i < ASKED};
    struct sigaction *action = &handler->action;
    handler->foreign = sigaction(ends[i], NULL, action) == 0 && action->sa_handler != SIG_DFL &&
                       action->sa_handler != SIG_IGN && !is_marked(action);
    const struct handler *same = handler->foreign ? find_same(all, handler) : NULL;
    if (same) {
        *handler = *same;
        handler->signal = ends[i];
    } else if (handler->foreign) {
        handler_recognise(handler);
    }
    atomic_store(&followers[i], handler->follows ? (uintptr_t)code_of(handler) : 0);
}

/* Returns whether stepwatch may handle the signal first and then pass it on to this action: it is
 * that of another copy of stepwatch, or swi_handlers_check() has found that it prints something and
 * lets the signal end the program. Async-signal-safe. */
static bool handler_may_follow(int signal, const struct sigaction *action)
{
    if (action->sa_handler == SIG_DFL || action->sa_handler == SIG_IGN)
        return false;
    for (int i = 0; i < ENDS; i++)
        if (ends[i] == signal && atomic_load(&followers[i]) == (uintptr_t)action->sa_handler)
            return true;
    return is_marked(action);
}

/* ---- what is not said ------------------------------------------------------------------------ */

static atomic_uint closes; /* a bit for each of `ends` */

static unsigned bit_of(int signal)
{
    unsigned bit = 0;
    for (int i = 0; i < ENDS; i++)
        bit |= ends[i] == signal ? 1U << i : 0;
    return bit;
}

void sw_closes_at_signal(int signal)
{
    atomic_fetch_or(&closes, bit_of(signal));
}

/* ---- the sentence ---------------------------------------------------------------------------- */

static const char *advice_of(const struct handler *handler)
{
    if (!handler->foreign || handler->follows || (atomic_load(&closes) & bit_of(handler->signal)))
        return NULL;
    return handler->asked ? handler->runtime->asked : handler->runtime->crash;
}

/* Two handlers of which the same is said. */
static bool is_alike(const struct handler *a, const struct handler *b)
{
    return advice_of(a) == advice_of(b) && a->at.dli_fbase == b->at.dli_fbase;
}

static void signals_write(FILE *out, const struct handler *first, const struct handler *end)
{
    size_t left = 0, count;
    for (const struct handler *at = first; at < end; at++)
        left += is_alike(at, first);
    count = left;
    for (const struct handler *at = first; at < end; at++)
        if (is_alike(at, first))
            fprintf(out, "%s%s", swi_signal_name(at->signal),
                    --left > 1  ? ", "
                    : left == 1 ? " and "
                    : count > 1 ? " are"
                                : " is");
}

static void owner_write(FILE *out, const struct handler *handler)
{
    const char *name = handler->runtime->name, *path = handler->at.dli_fname;
    if (!name && (handler->in_program || !path))
        name = "the program";
    fprintf(out, path && name ? "%s (%s)" : "%s%s", name ? name : "", path ? path : "");
}

static void group_write(FILE *out, const struct handler *first, const struct handler *end)
{
    bool one = true;
    for (const struct handler *at = first + 1; at < end; at++)
        one = one && !is_alike(at, first);
    signals_write(out, first, end);
    fputs(" handled by ", out);
    owner_write(out, first);
    fprintf(out, " already: no report is made if %s ends the program%s", one ? "it" : "one of them",
            advice_of(first));
}

static bool is_first_of_group(const struct handler *all, int i)
{
    for (int k = 0; k < i; k++)
        if (is_alike(&all[k], &all[i]))
            return false;
    return advice_of(&all[i]) != NULL;
}

char *swi_handlers_check(void)
{
    struct handler handlers[ENDS];
    char *text = NULL;
    size_t size = 0;
    bool any = false;
    for (int i = 0; i < ENDS; i++)
        handler_check(handlers, i);
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    for (int i = 0; i < ENDS; i++) {
        if (!is_first_of_group(handlers, i))
            continue;
        fputs(any ? ". " : "", out);
        group_write(out, &handlers[i], handlers + ENDS);
        any = true;
    }
    if (fclose(out) != 0 || !any) {
        free(text);
        return NULL;
    }
    return text;
}

/* The program's own handlers are never replaced. If another handler was installed after ours, it
 * passes the signal on to ours. */
static bool may_take(const struct swi_taken_signal *taken, const struct sigaction *now)
{
    return now->sa_handler == SIG_DFL || (!taken->set && handler_may_follow(taken->signal, now));
}

void swi_taken_signals_set(struct swi_taken_signal *taken, int count, const struct sigaction *ours)
{
    for (; count > 0; count--, taken++) {
        struct sigaction now = {0};
        if (sigaction(taken->signal, NULL, &now) != 0 || !may_take(taken, &now))
            continue;
        taken->before = now;
        taken->set = sigaction(taken->signal, ours, NULL) == 0;
    }
}

void swi_taken_signals_restore(struct swi_taken_signal *taken, int count,
                               const struct sigaction *ours)
{
    for (; count > 0; count--, taken++) {
        struct sigaction now = {0};
        if (taken->set && sigaction(taken->signal, NULL, &now) == 0 &&
            now.sa_handler == ours->sa_handler)
            taken->set = sigaction(taken->signal, &taken->before, NULL) != 0;
    }
}

void swi_taken_signal_pass_on(const struct swi_taken_signal *taken)
{
    const struct sigaction standard = {.sa_handler = SIG_DFL};
    sigaction(taken->signal, taken->set ? &taken->before : &standard, NULL);
}
