# SPDX-License-Identifier: MIT
dist_man3_MANS += %D%/man/stepwatch.3 %D%/man/stepwatch-flops.3 %D%/man/stepwatch-functions.3 %D%/man/stepwatch-memory.3 %D%/man/stepwatch-monitor.3 %D%/man/stepwatch-sink.3 %D%/man/stepwatch-ranks.3 %D%/man/stepwatch-values.3 %D%/man/stepwatch-with.3
dist_man5_MANS += %D%/man/stepwatch.yaml.5
dist_pkgdata_DATA += %D%/valgrind.supp
# options makes tables of options from the code; tests/scripts/guides.sh follows the guides.
EXTRA_DIST += %D%/options %D%/coming-from.md %D%/functions.md %D%/functions/snakeviz.png %D%/README.md %D%/getting-started.md %D%/ranks.md %D%/report.md %D%/resources.md %D%/timeline.md \
              %D%/timeline/perfetto.png %D%/timeline/profile.png %D%/timeline/verdict.png %D%/values.md %D%/values %D%/windows.md %D%/writing-monitors.md
EXTRA_DIST += %D%/watch.md %D%/watch/screenshot.py %D%/watch/watch.svg
EXTRA_DIST += %D%/mlflow.md %D%/mlflow/run.png %D%/mlflow/table.png %D%/mlflow/values.png %D%/prometheus.md %D%/prometheus/dashboard.json %D%/prometheus/graph.png %D%/sqlite.md %D%/sqlite/media.png %D%/sqlite/trackio.png %D%/measuring-gpu-work.md %D%/why-is-my-loop-slow.md
EXTRA_DIST += %D%/functions/flame-graph.png %D%/versioning.md %D%/cmake.md %D%/embedding.md %D%/platforms.md
EXTRA_DIST += %D%/ci-and-slurm.md %D%/my-table-is-empty.md

# html: the guides, manual pages and headers as a site in html/, without dead links.
EXTRA_DIST += %D%/site/check %D%/site/make %D%/site/page.css %D%/site/search.js
html-local:
	@for tool in cmark-gfm mandoc python3; do command -v $$tool >/dev/null || \
	    { echo "make html needs $$tool: apt install cmark-gfm mandoc python3" >&2; exit 1; }; done
	rm -rf html
	$(srcdir)/%D%/site/make $(srcdir) html
	$(srcdir)/%D%/site/check html

# tests/scripts/with.sh follows them.
EXTRA_DIST += %D%/with/README.md %D%/with/ensmallen.md %D%/with/ggml.md %D%/with/libtorch.md %D%/with/lightgbm.md %D%/with/make.md \
              %D%/with/meson.md %D%/with/mpi.md %D%/with/openmp.md %D%/with/slurm.md %D%/with/xgboost.md
EXTRA_DIST += %D%/compared.md %D%/long-runs.md
