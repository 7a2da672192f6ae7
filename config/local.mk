# SPDX-License-Identifier: MIT
libstepwatch_la_SOURCES += \
    %D%/config.c %D%/config.h \
    %D%/counter_keys.c %D%/counter_keys.h \
    %D%/expand.c %D%/expand.h \
    %D%/inspect.c \
    %D%/functions_keys.c %D%/functions_keys.h \
    %D%/keys.c %D%/keys.h \
    %D%/print_keys.c %D%/print_keys.h \
    %D%/read_keys.c %D%/read_keys.h \
    %D%/limits.c %D%/limits.h \
    %D%/monitor_list.c %D%/monitor_list.h \
    %D%/open.c \
    %D%/plugin_entries.c %D%/plugin_entries.h \
    %D%/ranks.c %D%/ranks.h \
    %D%/program_options.c %D%/program_options.h \
    %D%/reading.c %D%/reading.h \
    %D%/repeated_keys.c %D%/repeated_keys.h \
    %D%/sink_settings.c %D%/sink_settings.h \
    %D%/show.c %D%/show.h \
    %D%/logger_callback.c %D%/logger_callback.h \
    %D%/source.c %D%/source.h \
    %D%/sweep_param.c \
    %D%/syntax.c %D%/syntax.h \
    %D%/yaml_tags.c %D%/yaml_tags.h \
    %D%/tree.c %D%/tree.h \
    %D%/watchdog_keys.c %D%/watchdog_keys.h \
    %D%/window_keys.c %D%/window_keys.h
