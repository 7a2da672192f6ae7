# SPDX-License-Identifier: MIT
stepwatchincludedir = $(includedir)/stepwatch
stepwatchinclude_HEADERS = \
    %D%/stepwatch/ensmallen.hpp \
    %D%/stepwatch/error.h \
    %D%/stepwatch/finding.h \
    %D%/stepwatch/flops.h \
    %D%/stepwatch/ggml.h \
    %D%/stepwatch/inline.h \
    %D%/stepwatch/inspect.h \
    %D%/stepwatch/libtorch.hpp \
    %D%/stepwatch/memory.h \
    %D%/stepwatch/monitor.h \
    %D%/stepwatch/probe.h \
    %D%/stepwatch/ranks.h \
    %D%/stepwatch/replay.h \
    %D%/stepwatch/report.h \
    %D%/stepwatch/sink.h \
    %D%/stepwatch/stepwatch.h \
    %D%/stepwatch/stepwatch.hpp \
    %D%/stepwatch/value_records.h \
    %D%/stepwatch/values.h \
    %D%/stepwatch/values.hpp \
    %D%/stepwatch/window.h
