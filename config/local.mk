# SPDX-License-Identifier: MIT
libstepwatch_la_SOURCES += \
    %D%/config.c %D%/config.h \
    %D%/counter_keys.c \
    %D%/inspect.c \
    %D%/functions_keys.c \
    %D%/profiler_keys.c %D%/profiler_keys.h \
    %D%/profiler_section.c \
    %D%/monitor_list.c \
    %D%/open.c \
    %D%/plugin_entries.c %D%/plugin_entries.h \
    %D%/program_options.c \
    %D%/yaml_reader.c %D%/yaml_reader.h \
    %D%/source_text.c \
    %D%/sweep_param.c \
    %D%/yaml_syntax.c \
    %D%/yaml_values.c \
    %D%/yaml_tree.c %D%/yaml_tree.h \
    %D%/watchdog_keys.c \
    %D%/schedule_keys.c
