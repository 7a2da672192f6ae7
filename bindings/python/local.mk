# SPDX-License-Identifier: MIT
# The package is built by pip, with the backend in its own folder: see docs/python.md. tests/scripts/python.sh tests it.
EXTRA_DIST += \
    %D%/README.md %D%/pyproject.toml %D%/backend/stepwatch_build.py \
    %D%/src/convert.c %D%/src/core.h %D%/src/draws.c %D%/src/loop.c \
    %D%/src/module.c %D%/src/open.c %D%/src/region.c %D%/src/report.c %D%/src/sink.c %D%/src/values.c \
    %D%/stepwatch/__init__.py %D%/stepwatch/__main__.py %D%/stepwatch/_core.pyi %D%/stepwatch/_decorate.py \
    %D%/stepwatch/_endings.py %D%/stepwatch/_error.py %D%/stepwatch/_options.py %D%/stepwatch/_report.py \
    %D%/stepwatch/_sinks.py %D%/stepwatch/_steps.py %D%/stepwatch/_values.py %D%/stepwatch/_observer.cpp %D%/stepwatch/accelerate.py %D%/stepwatch/events.py %D%/stepwatch/fastai.py \
    %D%/stepwatch/lightning.py %D%/stepwatch/py.typed %D%/stepwatch/torch.py %D%/stepwatch/transformers.py \
    %D%/tests/test_endings.py %D%/tests/test_fastai.py %D%/tests/test_frameworks.py %D%/tests/test_lightning.py %D%/tests/test_loop.py %D%/tests/test_values.py docs/python.md docs/python/notebook.png
