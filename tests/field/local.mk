# SPDX-License-Identifier: MIT
# Journeys of a user in many surroundings, with an installed stepwatch: docs/reliability.md has the table. make check-field
# makes all of them; the suite `field` those that each surrounding names. A surrounding is one file of surroundings/, a
# journey one of journeys/.
tests_check_SOURCES += %D%/test_field.c
EXTRA_DIST += %D%/run %D%/common.sh %D%/cell.sh %D%/inside.sh %D%/starts.sh %D%/facts.sh %D%/groups.sh %D%/locks.sh %D%/builtin.sh %D%/programs.sh %D%/arrived.py \
              %D%/programs %D%/journeys %D%/surroundings

.PHONY: check-field
check-field: $(bin_PROGRAMS) $(sink_LTLIBRARIES)
	SRCDIR='$(abs_top_srcdir)' BUILDDIR='$(abs_top_builddir)' CC='$(CC)' CXX='$(CXX)' \
	    sh $(srcdir)/tests/field/run $(FIELD)
