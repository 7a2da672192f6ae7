# SPDX-License-Identifier: MIT
# An image with the command, the sinks, and the library with its headers:
#
#   docker build -t stepwatch .
#   docker run --rm -v "$PWD:/work" stepwatch report run.jsonl
#
# Where no Docker engine runs, root builds it by
#
#   buildah build --isolation chroot --storage-driver vfs -t stepwatch .
#
# A program of your own is built FROM it, with gcc or clang installed there.
FROM debian:12-slim AS build
COPY . /source
WORKDIR /source
RUN build-aux/install-packages build
RUN test -x configure || ./autogen.sh
RUN mkdir /build && cd /build && /source/configure -q && make -s -j"$(nproc)" && make -s install-strip DESTDIR=/installed

FROM debian:12-slim
RUN apt-get update && \
    apt-get install -y --no-install-recommends ca-certificates \
        libcurl4 libjansson4 libprotobuf-c1 libsmartcols1 libyaml-0-2 && \
    rm -rf /var/lib/apt/lists/*
COPY --from=build /installed/ /
RUN ldconfig && stepwatch sinks
ENV LANG=C.UTF-8
WORKDIR /work
ENTRYPOINT ["stepwatch"]
CMD ["--help"]
