# SPDX-License-Identifier: MIT
# The tests read all files in the folders faulty/ and good/: a new case needs no line here.
EXTRA_DIST += docs/configuration.md %D%/faulty %D%/good
tests_check_SOURCES += \
    %D%/sample.c %D%/sample.h \
    %D%/sinks.c %D%/sinks.h \
    %D%/test_docs.c \
    %D%/test_faulty.c \
    %D%/test_good.c \
    %D%/test_limits.c \
    %D%/test_open.c \
    %D%/test_open_options.c \
    %D%/test_sweep_param.c
