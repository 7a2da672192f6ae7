# SPDX-License-Identifier: MIT
if HAVE_TENSORBOARD
tests_check_CFLAGS  += $(PROTOBUF_C_CFLAGS)
tests_check_LDADD   += sinks/tensorboard/libwriter.la
tests_check_SOURCES += \
    %D%/events.c %D%/events.h \
    %D%/test_crc32c.c \
    %D%/test_samples.c \
    %D%/test_scalar.c \
    %D%/test_sink.c \
    %D%/test_utf8.c \
    %D%/test_value.c \
    %D%/test_writer.c
endif
