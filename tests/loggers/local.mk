# SPDX-License-Identifier: MIT
# The sinks prometheus and sqlite, read by the real programs: Debian's packages of Prometheus, and Trackio from PyPI.
EXTRA_DIST += %D%/read_prometheus.py %D%/read_trackio.py %D%/with-prometheus %D%/with-trackio tests/golden/prometheus/run.prom

# make check uses Trackio if it is installed; check-trackio installs it.
CHECK_AGAINST += loggers/with-prometheus loggers/with-trackio
check-trackio: $(sink_LTLIBRARIES) $(bin_PROGRAMS) $(noinst_PROGRAMS) $(check_PROGRAMS)
	$(TEST_ENVIRONMENT) $(srcdir)/%D%/with-trackio $(abs_top_srcdir) $(abs_top_builddir)

.PHONY: check-trackio
