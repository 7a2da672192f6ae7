# SPDX-License-Identifier: MIT
# The program looks for its data and its YAML in its own folder: configure.ac links them into the build tree.
if HAVE_MPI
if HAVE_ZLIB
noinst_PROGRAMS += examples/ranks/ranks
endif
endif
examples_ranks_ranks_SOURCES = \
    examples/digits/augment.c examples/digits/augment.h \
    examples/digits/data.c examples/digits/data.h \
    examples/digits/loader.c examples/digits/loader.h \
    examples/digits/net.c examples/digits/net.h \
    examples/digits/random.h \
    %D%/pace.c %D%/pace.h \
    %D%/rank_options.c %D%/rank_options.h \
    %D%/ranks.c
examples_ranks_ranks_CFLAGS  = $(AM_CFLAGS) $(ZLIB_CFLAGS) $(MPI_CFLAGS) -pthread
examples_ranks_ranks_LDADD   = libstepwatch-mpi.la libstepwatch.la $(MPI_LIBS) $(ZLIB_LIBS) -lm
examples_ranks_ranks_LDFLAGS = $(AM_LDFLAGS) -no-install -pthread
EXTRA_DIST += %D%/README.md %D%/stepwatch.yaml
