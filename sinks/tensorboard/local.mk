# SPDX-License-Identifier: MIT
# The writer of event files, as a separate library and inside the sink.
EXTRA_DIST += docs/tensorboard/tensorboard.proto build-aux/stepwatch-tensorboard.pc.in \
    bench/tensorboard.sh bench/tensorboard_peers.py docs/benchmarks.md docs/tensorboard.md docs/tensorboard

# make bench-tensorboard compares the writer with the limit of the format and with the writers in Python.
EXTRA_PROGRAMS += bench/tensorboard
bench_tensorboard_SOURCES = bench/tensorboard.c
bench_tensorboard_LDADD   = %D%/libwriter.la core/text/libtext.la
bench_tensorboard_LDFLAGS = $(AM_LDFLAGS) -no-install
bench-tensorboard:
	$(MAKE) $(AM_MAKEFLAGS) bench/tensorboard
	$(srcdir)/bench/tensorboard.sh $(abs_top_srcdir) $(abs_top_builddir)

noinst_LTLIBRARIES += %D%/libwriter.la
%C%_libwriter_la_CFLAGS = $(AM_CFLAGS) -pthread
%C%_libwriter_la_SOURCES = \
    %D%/writer/append.c \
    %D%/writer/crc32c.c %D%/writer/crc32c.h \
    %D%/writer/event_copy.c \
    %D%/writer/event_file.c \
    %D%/writer/hparams.c \
    %D%/writer/metadata.c \
    %D%/writer/frames.c \
    %D%/writer/scalar.c \
    %D%/writer/value.c \
    %D%/writer/writer.c %D%/writer/writer.h
%C%_libwriter_la_LIBADD = -lm

lib_LTLIBRARIES += libstepwatch-tensorboard.la
nodist_pkgconfig_DATA += stepwatch-tensorboard.pc
stepwatchinclude_HEADERS += include/stepwatch/tensorboard.h include/stepwatch/tensorboard.hpp
libstepwatch_tensorboard_la_SOURCES =
EXTRA_DIST += %D%/writer/writer.map
EXTRA_libstepwatch_tensorboard_la_DEPENDENCIES = $(srcdir)/%D%/writer/writer.map
libstepwatch_tensorboard_la_LDFLAGS = $(AM_LDFLAGS) -pthread -version-info 1:0:0 -Wl,--version-script=$(srcdir)/%D%/writer/writer.map \
                                      -Wl,-Bsymbolic-functions
libstepwatch_tensorboard_la_LIBADD  = %D%/libwriter.la core/text/libtext.la
dist_man3_MANS += docs/man/stepwatch-tensorboard.3

noinst_PROGRAMS += examples/tensorboard
examples_tensorboard_SOURCES = examples/tensorboard.c
examples_tensorboard_LDADD   = libstepwatch-tensorboard.la -lm
examples_tensorboard_LDFLAGS = $(AM_LDFLAGS) -no-install

sink_LTLIBRARIES += sinks/tensorboard.la
sinks_tensorboard_la_SOURCES = \
    %D%/axes.c \
    %D%/pages.c \
    %D%/reports.c \
    %D%/metrics.c \
    %D%/resume.c \
    %D%/rich_values.c \
    %D%/rotation.c \
    %D%/run_directory.c \
    %D%/event_stream.c \
    %D%/tensorboard_sink.c %D%/tensorboard_sink.h
sinks_tensorboard_la_LIBADD  = %D%/libwriter.la sinks/common/libcommon.la -lm
sinks_tensorboard_la_LDFLAGS = $(SINK_LDFLAGS) -pthread

if BUILTIN_TENSORBOARD
noinst_LTLIBRARIES += sinks/tensorboard/libbuiltin.la
libstepwatch_la_LIBADD += sinks/tensorboard/libbuiltin.la
sinks_tensorboard_libbuiltin_la_SOURCES  = $(sinks_tensorboard_la_SOURCES)
sinks_tensorboard_libbuiltin_la_CPPFLAGS = $(AM_CPPFLAGS) -DSW_SINK_SYMBOL=swi_sink_tensorboard
sinks_tensorboard_libbuiltin_la_CFLAGS   = $(AM_CFLAGS)
endif
.PHONY: bench-tensorboard
