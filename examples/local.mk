# SPDX-License-Identifier: MIT
# These programs use the library as any program would. They are never installed, so with -no-install they run in the build
# tree without a wrapper script.

noinst_PROGRAMS += examples/minimal examples/threads examples/callbacks examples/options examples/sweep examples/cxx
examples_minimal_SOURCES   = %D%/minimal.c
examples_minimal_LDADD     = libstepwatch.la
examples_minimal_LDFLAGS   = $(AM_LDFLAGS) -no-install
examples_threads_SOURCES   = %D%/threads.c
examples_threads_LDADD     = libstepwatch.la
examples_threads_CFLAGS    = $(AM_CFLAGS) -pthread
examples_threads_LDFLAGS   = $(AM_LDFLAGS) -no-install -pthread
examples_callbacks_SOURCES = %D%/callbacks.c
examples_callbacks_LDADD   = libstepwatch.la
examples_callbacks_LDFLAGS = $(AM_LDFLAGS) -no-install
examples_options_SOURCES   = %D%/options.c
examples_options_LDADD     = libstepwatch.la
examples_options_LDFLAGS   = $(AM_LDFLAGS) -no-install
examples_sweep_SOURCES     = %D%/sweep.c
examples_sweep_LDADD       = libstepwatch.la
examples_sweep_LDFLAGS     = $(AM_LDFLAGS) -no-install
examples_cxx_SOURCES       = %D%/cxx.cpp
examples_cxx_LDADD         = libstepwatch.la
examples_cxx_LDFLAGS       = $(AM_LDFLAGS) -no-install
EXTRA_DIST += %D%/cmake/CMakeLists.txt
EXTRA_DIST += %D%/python/digits.py %D%/python/digits_data.py %D%/python/digits_fastai.py %D%/python/digits_lightning.py %D%/python/digits_transformers.py

include examples/digits/local.mk
include examples/ranks/local.mk
