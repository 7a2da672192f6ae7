# SPDX-License-Identifier: MIT
# Files for a Docker image and for Debian packages. In a clone or an unpacked release, dpkg-buildpackage -us -uc -b makes
# the packages.
EXTRA_DIST += \
    .dockerignore Dockerfile \
    %D%/changelog \
    %D%/control \
    %D%/copyright \
    %D%/libstepwatch-dev.docs %D%/libstepwatch-dev.examples %D%/libstepwatch-dev.install \
    %D%/libstepwatch-functions1.install %D%/libstepwatch-functions1.symbols \
    %D%/libstepwatch-memory1.install %D%/libstepwatch-memory1.symbols \
    %D%/libstepwatch-mpi-dev.install \
    %D%/libstepwatch-mpi1.install %D%/libstepwatch-mpi1.symbols \
    %D%/libstepwatch-tensorboard1.install %D%/libstepwatch-tensorboard1.symbols \
    %D%/libstepwatch-wandb1.install %D%/libstepwatch-wandb1.symbols \
    %D%/libstepwatch1.install %D%/libstepwatch1.symbols \
    %D%/rules \
    %D%/source/format %D%/source/lintian-overrides \
    %D%/stepwatch.install \
    %D%/tests/control %D%/tests/installed \
    %D%/watch
