# SPDX-License-Identifier: MIT
# the allocator jemalloc, preloaded
quick="memory"
needs()
{
    lacks_library libjemalloc.so.2
}
starts()
{
    preloaded libjemalloc.so.2 "$@"
}
