# SPDX-License-Identifier: MIT
# the allocator mimalloc, preloaded
quick="memory"
needs()
{
    lacks_library libmimalloc.so.2
}
starts()
{
    preloaded libmimalloc.so.2 "$@"
}
