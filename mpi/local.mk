# SPDX-License-Identifier: MIT
# libstepwatch-mpi: joins the ranks of a program with MPI. The only part of stepwatch that links MPI.
EXTRA_DIST += %D%/stepwatch-mpi.map build-aux/stepwatch-mpi.pc.in docs/man/stepwatch-mpi.3 include/stepwatch/mpi.h

mpi_sources = \
    %D%/epochs.c \
    %D%/joined.h \
    %D%/limited_wait.c \
    %D%/mpi_open.c \
    %D%/mpi_report.c \
    %D%/rank_clocks.c \
    %D%/rank_rows.c

if HAVE_MPI
lib_LTLIBRARIES += libstepwatch-mpi.la
nodist_pkgconfig_DATA += stepwatch-mpi.pc
stepwatchinclude_HEADERS += include/stepwatch/mpi.h
man3_MANS += docs/man/stepwatch-mpi.3
libstepwatch_mpi_la_SOURCES = $(mpi_sources)
libstepwatch_mpi_la_CFLAGS  = $(AM_CFLAGS) $(MPI_CFLAGS) -pthread
EXTRA_libstepwatch_mpi_la_DEPENDENCIES = $(srcdir)/%D%/stepwatch-mpi.map
libstepwatch_mpi_la_LDFLAGS = $(AM_LDFLAGS) -version-info 1:0:0 -Wl,--version-script=$(srcdir)/%D%/stepwatch-mpi.map -pthread
libstepwatch_mpi_la_LIBADD  = libstepwatch.la core/stragglers/libstragglers.la core/text/libtext.la $(MPI_LIBS) -lm
else
EXTRA_DIST += $(mpi_sources)
endif
