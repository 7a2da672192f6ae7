# SPDX-License-Identifier: MIT
# Tests from outside. The suite `scripts` runs each script as one test.
tests_check_SOURCES  += %D%/test_scripts.c
tests_check_CPPFLAGS += -DTEST_CC='"$(CC)"' -DTEST_CXX='"$(CXX)"' -DTEST_MPIRUN='"$(MPIRUN)"' -DTEST_MPI_CFLAGS='"$(MPI_CFLAGS)"' -DTEST_SANITIZER='"$(SANITIZER_FLAGS)"' \
                        -DTEST_AGAINST='"$(CHECK_AGAINST)"' \
                        -DTEST_OBJECTS='"$(libstepwatch_la_OBJECTS) $(core_text_libtext_la_OBJECTS) \
                         $(core_advice_libadvice_la_OBJECTS) $(core_stragglers_libstragglers_la_OBJECTS)"'
EXTRA_DIST += %D%/counts.sh %D%/html.sh %D%/many-names.c %D%/many-names.sh %D%/mpi.sh
EXTRA_DIST += %D%/python.sh
EXTRA_DIST += %D%/adapters.sh %D%/with.sh
EXTRA_DIST += tests/with/adapters.cpp tests/with/ensmallen/ensmallen.hpp tests/with/ggml/ggml-alloc.h tests/with/ggml/ggml-cpu.h tests/with/ggml/ggml-opt.h tests/with/ggml/ggml.c \
    tests/with/libtorch/TorchConfig.cmake tests/with/libtorch/torch/torch.h tests/with/lightgbm/LightGBM/c_api.h tests/with/lightgbm/lightgbm.c \
    tests/with/slurm/sbatch tests/with/slurm/srun tests/with/xgboost/xgboost.c tests/with/xgboost/xgboost/c_api.h
EXTRA_DIST += %D%/amalgamation.sh %D%/amalgamation/clocked.c
EXTRA_DIST += %D%/papers.sh %D%/builtin.sh %D%/musl.sh %D%/cmake.sh %D%/cmake-sources.sh %D%/fortran.sh
EXTRA_DIST += \
    %D%/abi.sh %D%/abi/aged.c %D%/abi/loop.c %D%/columns.sh %D%/common.sh %D%/custom-monitor.sh %D%/custom-sink.sh %D%/debian.sh %D%/debugger.sh %D%/digits.sh %D%/examples.sh %D%/formats.sh %D%/guide.sh %D%/guides.sh %D%/headers.sh %D%/hot.sh %D%/install.sh %D%/installcheck.sh %D%/installed.sh %D%/manuals.sh \
    %D%/packages.sh %D%/race-checkers.sh %D%/ranks.sh %D%/out-of-tree.sh %D%/own-symbols.sh %D%/out-of-tree-cmake.sh %D%/readme.sh %D%/release.sh %D%/rooms.sh %D%/seams.sh %D%/seams/advise.c %D%/seams/hello.c %D%/seams/rule_toy.c %D%/seams/step.c %D%/seams/toy.c %D%/static.sh %D%/symbols.sh %D%/venv.sh %D%/wandb-service.sh %D%/watch.sh %D%/without-curl.sh \
    %D%/rooms/folders %D%/rooms/folders.awk %D%/rooms/graph.awk %D%/rooms/includes.awk %D%/rooms/known %D%/rooms/names.awk %D%/rooms/symbols.awk %D%/rooms/table.awk \
    tests/golden/symbols.txt

EXTRA_DIST += \
    %D%/functions.sh %D%/functions/check.py %D%/functions/plugin.cpp %D%/functions/process.c %D%/functions/samples.sh %D%/sampled.sh %D%/stacks.sh %D%/functions/check_samples.py %D%/functions/idle.c %D%/functions/levels.c %D%/functions/replaced.c %D%/functions/sampled.c %D%/functions/small_stacks.c \
    %D%/functions/vforks.c %D%/functions/vforks.json %D%/wall.sh %D%/functions/waits.c \
    tests/golden/functions/exceptions.cpp tests/golden/functions/expected.json tests/golden/functions/jump.c \
    tests/golden/functions/nesting.c tests/golden/functions/recursion.c tests/golden/functions/regions.c \
    tests/golden/functions/threads.c tests/golden/pstats/reports.json

EXTRA_DIST += %D%/timelines.sh %D%/timelines/odd.c %D%/timelines/viewer.py tests/golden/timeline/chrome.edge_cases.json \
    tests/golden/timeline/chrome.viewer_cases.json tests/golden/timeline/perfetto.viewer_cases.json

EXTRA_DIST += %D%/memory.sh %D%/memory/books.c tests/golden/resources/alloc/alloc.c tests/golden/resources/alloc/expected.json \
    %D%/memory/operators.cpp %D%/memory/peaks.c %D%/memory/resident.c %D%/memory/rules.c

EXTRA_DIST += %D%/hardware.sh %D%/hardware/counted.c %D%/hardware/fake_libpfm.c %D%/hardware/fake_perf.c

.PHONY: run-installcheck
run-installcheck:
	SRCDIR='$(abs_top_srcdir)' BUILDDIR='$(abs_top_builddir)' LIBDIR='$(libdir)' CC='$(CC)' CXX='$(CXX)' \
	    SANITIZER='$(SANITIZER_FLAGS)' sh $(srcdir)/%D%/installcheck.sh
installcheck-local: run-installcheck
EXTRA_DIST += \
    %D%/runtimes.sh %D%/runtimes/ends.c %D%/runtimes/ends.h %D%/runtimes/fake.c %D%/runtimes/ends_in_c.c \
    %D%/runtimes/ends_in_fortran.f90 %D%/runtimes/ends_in_rust.rs %D%/runtimes/ends_in_python.py %D%/runtimes/ends_in_ruby.rb \
    %D%/runtimes/ends_in_go.go %D%/runtimes/ends_in_node.c %D%/runtimes/ends_in_node.js %D%/runtimes/ends_in_java.c \
    %D%/runtimes/EndsInJava.java %D%/two-builds.sh %D%/two-builds/both.c
