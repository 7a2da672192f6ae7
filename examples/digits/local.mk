# SPDX-License-Identifier: MIT
# The program looks for its data and its YAML in its own folder: configure.ac links them into the build tree.
if HAVE_ZLIB
noinst_PROGRAMS += examples/digits/digits
endif
examples_digits_digits_SOURCES = \
    %D%/augment.c %D%/augment.h \
    %D%/data.c %D%/data.h \
    %D%/digits.c \
    %D%/loader.c %D%/loader.h \
    %D%/net.c %D%/net.h \
    %D%/options.c %D%/options.h \
    %D%/random.h \
    %D%/values.c %D%/values.h
examples_digits_digits_CFLAGS  = $(AM_CFLAGS) $(ZLIB_CFLAGS) -pthread
examples_digits_digits_LDADD   = libstepwatch.la $(ZLIB_LIBS) -lm
examples_digits_digits_LDFLAGS = $(AM_LDFLAGS) -no-install -pthread
EXTRA_DIST += %D%/README.md %D%/prometheus.yml
