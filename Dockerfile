# SPDX-License-Identifier: MIT
# An image with the command, the sinks, and the library with its headers:
#
#   docker build -t stepwatch .
#   docker run --rm -v "$PWD:/work" stepwatch report run.jsonl
#
# If there is no Docker engine, build it as root with
#
#   buildah build --isolation chroot --storage-driver vfs -t stepwatch .
#
# To build your own program, start FROM this image and install gcc or clang.
FROM debian:12-slim AS build
COPY . /source
WORKDIR /source
RUN build-aux/install-packages build
RUN test -x configure || ./autogen.sh
RUN mkdir /build && cd /build && /source/configure -q && make -s -j"$(nproc)" && make -s install-strip DESTDIR=/installed

FROM debian:12-slim
RUN apt-get update && \
    apt-get install -y --no-install-recommends ca-certificates \
        libcurl4 libjansson4 libncursesw6 libsqlite3-0 libyaml-0-2 && \
    rm -rf /var/lib/apt/lists/*
COPY --from=build /installed/ /
RUN ldconfig && stepwatch sinks
ENV LANG=C.UTF-8
WORKDIR /work
ENTRYPOINT ["stepwatch"]
CMD ["--help"]
