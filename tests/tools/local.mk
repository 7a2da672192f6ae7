# SPDX-License-Identifier: MIT
# They run the command itself.
if HAVE_JANSSON
tests_check_SOURCES += %D%/test_command.c
endif
