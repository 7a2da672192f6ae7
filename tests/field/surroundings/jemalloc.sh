# SPDX-License-Identifier: MIT
# the allocator jemalloc, preloaded
quick="memory"
says='libjemalloc.*has no debug information'
needs()
{
    lacks_library libjemalloc.so.2
}
starts()
{
    preloaded libjemalloc.so.2 "$@"
}
