# SPDX-License-Identifier: MIT
tests_check_SOURCES += \
    tests/core/test_files.c \
    tests/core/test_loader.c \
    tests/core/test_options.c \
    tests/core/test_pipeline.c \
    tests/support/scratch.c tests/support/scratch.h \
    tests/support/unruly.c tests/support/unruly.h

# -no-install, so that there is no wrapper script: a setuid copy must run by itself.
check_PROGRAMS += tests/secure
tests_secure_SOURCES = tests/secure.c
tests_secure_LDADD   = libstepwatch.la
tests_secure_LDFLAGS = $(AM_LDFLAGS) -no-install

# Plugins that are refused, and one that is not. With -rpath, libtool makes shared objects that are not installed.
PLUGIN_LDFLAGS = $(AM_LDFLAGS) -module -avoid-version $(MODULE_SHARED) -rpath /nowhere
check_LTLIBRARIES += \
    tests/plugins/crash_load.la \
    tests/plugins/crash_open.la \
    tests/plugins/demanding.la \
    tests/plugins/exit_load.la \
    tests/plugins/missing_symbol.la \
    tests/plugins/named.la \
    tests/plugins/no_symbol.la \
    tests/plugins/plain.la \
    tests/plugins/wrong_abi.la \
    tests/plugins/wrong_magic.la \
    tests/plugins/wrong_option_size.la \
    tests/plugins/wrong_size.la \
    tests/plugins/wrong_table.la

tests_plugins_crash_load_la_SOURCES        = %D%/crash_load.c %D%/plain.h
tests_plugins_crash_load_la_LDFLAGS        = $(PLUGIN_LDFLAGS)
tests_plugins_crash_open_la_SOURCES        = %D%/crash_open.c %D%/plain.h
tests_plugins_crash_open_la_LDFLAGS        = $(PLUGIN_LDFLAGS)
tests_plugins_demanding_la_SOURCES         = %D%/demanding.c
tests_plugins_demanding_la_LDFLAGS         = $(PLUGIN_LDFLAGS)
tests_plugins_exit_load_la_SOURCES         = %D%/exit_load.c %D%/plain.h
tests_plugins_exit_load_la_LDFLAGS         = $(PLUGIN_LDFLAGS)
tests_plugins_missing_symbol_la_SOURCES    = %D%/missing_symbol.c %D%/plain.h
tests_plugins_missing_symbol_la_LDFLAGS    = $(PLUGIN_LDFLAGS)
tests_plugins_named_la_SOURCES             = %D%/named.c %D%/plain.h
tests_plugins_named_la_LDFLAGS             = $(PLUGIN_LDFLAGS)
tests_plugins_no_symbol_la_SOURCES         = %D%/no_symbol.c
tests_plugins_no_symbol_la_LDFLAGS         = $(PLUGIN_LDFLAGS)
tests_plugins_plain_la_SOURCES             = %D%/plain.c %D%/plain.h
# This plugin finds libraries in its own folder.
tests_plugins_plain_la_LDFLAGS             = $(PLUGIN_LDFLAGS) -Wl,-rpath,'$$ORIGIN'
tests_plugins_wrong_abi_la_SOURCES         = %D%/wrong_abi.c %D%/plain.h
tests_plugins_wrong_abi_la_LDFLAGS         = $(PLUGIN_LDFLAGS)
tests_plugins_wrong_magic_la_SOURCES       = %D%/wrong_magic.c %D%/plain.h
tests_plugins_wrong_magic_la_LDFLAGS       = $(PLUGIN_LDFLAGS)
tests_plugins_wrong_option_size_la_SOURCES = %D%/wrong_option_size.c %D%/plain.h
tests_plugins_wrong_option_size_la_LDFLAGS = $(PLUGIN_LDFLAGS)
tests_plugins_wrong_size_la_SOURCES        = %D%/wrong_size.c %D%/plain.h
tests_plugins_wrong_size_la_LDFLAGS        = $(PLUGIN_LDFLAGS)
tests_plugins_wrong_table_la_SOURCES       = %D%/wrong_table.c %D%/plain.h
tests_plugins_wrong_table_la_LDFLAGS       = $(PLUGIN_LDFLAGS)
