/* SPDX-License-Identifier: MIT */
/* test_scripts.c - what is tested from outside, as a user meets it: each script is one test. */
#include "tests/support/suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

/* These run what was built. */
static const char *const of_programs[] = {
    "counts.sh",         /* the hot path executes as many instructions as it did */
    "many-names.sh",     /* each sink finds a name among many */
    "abi.sh",            /* sinks of older and newer headers get what those of today get */
    "symbols.sh",        /* the library exports its list and needs no more than it says */
    "two-builds.sh",     /* two builds of the library in one program make their reports */
    "debugger.sh",       /* a program with sinks runs below a debugger as it does alone */
    "own-symbols.sh",    /* functions of the program are not called for those of libraries */
    "race-checkers.sh",  /* thread sanitizers, helgrind and drd report no races that are none */
    "adapters.sh",       /* headers for other libraries: loops that break, throw, are empty */
    "examples.sh",       /* every example runs, and valgrind finds nothing */
    "custom-monitor.sh", /* so is a monitor */
    "custom-sink.sh",    /* a sink of one's own is built, found and configured */
    "fortran.sh",        /* a program in Fortran measures what one in C does */
    "python.sh",         /* the Python package is built, and passes its tests */
    "digits.sh",         /* the digits are learnt, and every sink has its file */
    "guides.sh",         /* so do those of the guides, in their order */
    "installed.sh",      /* a moved installation, a tree of links and a service account's find their
                            sinks */
    "mpi.sh",        /* the ranks of a program with MPI get one report, and none waits for ever */
    "ranks.sh",      /* processes with one configuration in one folder lose nothing */
    "for-agents.sh", /* the commands of that page run, and have the fields that it names */
    "schemas.sh",    /* every command has --json, and its schema describes what that prints */
    "readme.sh",     /* the README's blocks compile and run as they stand there */
    "watch.sh",      /* the screen of the command is right on a terminal of any size */
    "with.sh",       /* the pages of docs/with lead from an empty folder to a report */
    "static.sh",     /* a static program gets a message that it cannot load sinks */
};

/* These look at the source, or build and install it anew: a sanitizer has nothing to see. */
static const char *const of_sources[] = {
    "amalgamation.sh",  /* the library in two files compiles everywhere, and reports the same */
    "hot.sh",           /* the calls of a loop are in one page of code */
    "html.sh",          /* the site of all pages has no dead link */
    "headers.sh",       /* public headers compile alone, silently */
    "cmake-sources.sh", /* CMake compiles what make does */
    "columns.sh",       /* a line in the table of columns is a column of every output */
    "formats.sh",       /* the document of a format has the fields that are written */
    "functions.sh",     /* every call of a program is counted, and shown as Python shows it */
    "hardware.sh",      /* counters of the processor, of a made-up one and of the real one */
    "memory.sh",    /* every block that is allocated and freed is counted, with each allocator */
    "timelines.sh", /* every format shows the same of any run, and viewers complain about none */
    "runtimes.sh",  /* each end under a runtime has a report, or a message names it */
    "stacks.sh",    /* samples overwrite nothing below a small stack */
    "sampled.sh",   /* a program as it is shows its functions, and goes on as before */
    "wall.sh",      /* threads that wait show where, and nothing interrupts them */
    "seams.sh",     /* a command and a kind of record cost a file and the lines that are promised */
    "rooms.sh",     /* each file includes and calls what the table of folders allows */
    "command.sh",   /* help, man page and completions of the command agree with its option tables */
    "manuals.sh",   /* the manual pages name all that the headers and the tables of options hold */
    "papers.sh",    /* versions and addresses agree, and make release refuses what is not ready */
    "packages.sh",  /* what is missing is installed, behind whoever installs packages just now */
    "install.sh",   /* programs out of the tree use what was installed; uninstall leaves nothing */
    "venv.sh",      /* a Python environment that cannot be had is a visible skip */
    "without-curl.sh",  /* what uploads may be missing, and all else compiles */
    "wandb-service.sh", /* the stand-in for wandb's service answers as was recorded */
};
enum {
    OF_PROGRAMS = sizeof of_programs / sizeof *of_programs,
    OF_SOURCES = sizeof of_sources / sizeof *of_sources,
    SKIPPED = 77
};

/* The list of objects is longer than the literals that every C compiler must take. */
#pragma GCC diagnostic ignored "-Woverlength-strings"

static void assert_succeeds(const char *command, const char *name)
{
    int status = system(command);
    ck_assert_msg(WIFEXITED(status) && (WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == SKIPPED),
                  "tests/%s: see above", name);
}

static void assert_passes(const char *script)
{
    char command[4096], name[256];
    setenv("SRCDIR", SRCDIR, 1);
    setenv("BUILDDIR", BUILDDIR, 1);
    setenv("CC", TEST_CC, 1);
    setenv("CXX", TEST_CXX, 1);
    setenv("SANITIZER", TEST_SANITIZER, 1);
    setenv("MPIRUN", TEST_MPIRUN, 1);
    setenv("MPI_CFLAGS", TEST_MPI_CFLAGS, 1);
    setenv("OBJECTS", TEST_OBJECTS, 1);
    snprintf(command, sizeof command, "timeout 250 sh '%s/tests/scripts/%s'", SRCDIR, script);
    snprintf(name, sizeof name, "scripts/%s", script);
    assert_succeeds(command, name);
}

/* Copies the name of a harness, one of the list that the build found; returns false after the last.
 */
static bool harness_get(int wanted, char name[256])
{
    const char *list = TEST_AGAINST;
    for (int i = 0; *list; i++, list += strcspn(list, " "), list += strspn(list, " "))
        if (i == wanted) {
            snprintf(name, 256, "%.*s", (int)strcspn(list, " "), list);
            return true;
        }
    return false;
}

/* They need Python packages, and are skipped with a line if those are not installed. */
START_TEST(what_was_written_is_read_by_the_real_program)
{
    char name[256], command[4096];
    ck_assert(harness_get(_i, name));
    snprintf(command, sizeof command, "timeout 550 '%s/tests/%s' --if-installed '%s' '%s'", SRCDIR,
             name, SRCDIR, BUILDDIR);
    assert_succeeds(command, name);
}
END_TEST

START_TEST(script_of_programs_passes)
{
    assert_passes(of_programs[_i]);
}
END_TEST

START_TEST(script_of_sources_passes)
{
    assert_passes(of_sources[_i]);
}
END_TEST

LONG_SUITE(real_programs)
{
    int count = 0;
    char name[256];
    while (harness_get(count, name))
        count++;
    tcase_set_timeout(tc, 600);
    tcase_add_loop_test(tc, what_was_written_is_read_by_the_real_program, 0, count);
}

LONG_SUITE(scripts)
{
    tcase_set_timeout(tc, 300);
    tcase_add_loop_test(tc, script_of_programs_passes, 0, OF_PROGRAMS);
}

LONG_SUITE(scripts_of_sources)
{
    tcase_set_timeout(tc, 300);
    if (*TEST_SANITIZER == '\0')
        tcase_add_loop_test(tc, script_of_sources_passes, 0, OF_SOURCES);
}
