# SPDX-License-Identifier: MIT
# Suites in tests/check, and tests with the real TensorBoard (make check-tensorboard).
EXTRA_DIST += \
    tests/golden/rich \
    tests/golden/tensorboard \
    %D%/board.py \
    %D%/other_cpu.c \
    %D%/readback.py \
    %D%/with-tensorboard

tests_check_LDADD   += sinks/tensorboard/libwriter.la sinks/common/libcommon.la
tests_check_SOURCES += \
    %D%/events.c %D%/events.h \
    %D%/tb_messages.c %D%/tb_messages.h \
    %D%/test_disk.c \
    %D%/test_crc32c.c \
    %D%/test_fuzz.c \
    %D%/test_programs.c \
    tests/fuzz/fuzz_tensorboard.c \
    %D%/test_samples.c \
    %D%/test_scalar.c \
    %D%/small_disk.c %D%/small_disk.h \
    %D%/test_small_disk.c \
    %D%/test_threads.c \
    %D%/test_resume.c \
    %D%/test_rotation.c \
    %D%/test_rich.c \
    %D%/test_sink.c \
    %D%/test_value.c \
    %D%/test_writer.c

check_PROGRAMS += %D%/loop %D%/rich_run %D%/wrapper %D%/write
%C%_rich_run_SOURCES = %D%/rich_run.c
%C%_rich_run_LDADD   = libstepwatch.la
%C%_rich_run_LDFLAGS = $(AM_LDFLAGS) -no-install
%C%_loop_SOURCES  = %D%/loop.c
%C%_loop_LDADD    = libstepwatch.la
%C%_loop_LDFLAGS  = $(AM_LDFLAGS) -no-install
%C%_wrapper_SOURCES = %D%/wrapper.cpp
%C%_wrapper_LDADD   = libstepwatch-tensorboard.la
%C%_wrapper_LDFLAGS = $(AM_LDFLAGS) -no-install
%C%_write_SOURCES = %D%/write.c
%C%_write_LDADD   = libstepwatch-tensorboard.la
%C%_write_LDFLAGS = $(AM_LDFLAGS) -no-install

# Without -rpath, libtool makes no shared objects that are not installed.
check_LTLIBRARIES += %D%/disk.la
%C%_disk_la_SOURCES = %D%/disk.c
%C%_disk_la_CFLAGS  = -std=gnu11 $(WARN_CFLAGS)
%C%_disk_la_LDFLAGS = -module -avoid-version $(MODULE_SHARED) -rpath /nowhere

tensorboard_programs = %D%/loop %D%/rich_run %D%/write libstepwatch-tensorboard.la $(sink_LTLIBRARIES)
if HAVE_ZLIB
tensorboard_programs += examples/digits/digits
endif
if HAVE_CHECK
tensorboard_programs += tests/check examples/tensorboard %D%/wrapper %D%/disk.la
endif

# make check uses TensorBoard if it is installed; check-tensorboard installs it.
CHECK_AGAINST          += tensorboard/with-tensorboard
check_against_programs += $(tensorboard_programs)
check-tensorboard:
	$(MAKE) $(AM_MAKEFLAGS) $(tensorboard_programs)
	$(TEST_ENVIRONMENT) $(srcdir)/%D%/with-tensorboard $(abs_top_srcdir) $(abs_top_builddir)

.PHONY: check-tensorboard
