# SPDX-License-Identifier: MIT
libstepwatch_la_SOURCES += \
    %D%/config.h
