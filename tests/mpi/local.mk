# SPDX-License-Identifier: MIT
# A program with MPI, which tests/scripts/mpi.sh starts.
EXTRA_DIST += %D%/rank.c
if HAVE_MPI
check_PROGRAMS += tests/mpi/rank
tests_mpi_rank_SOURCES = %D%/rank.c
tests_mpi_rank_CFLAGS  = $(AM_CFLAGS) $(MPI_CFLAGS)
tests_mpi_rank_LDADD   = libstepwatch-mpi.la libstepwatch.la $(MPI_LIBS)
tests_mpi_rank_LDFLAGS = $(AM_LDFLAGS) -no-install
endif
