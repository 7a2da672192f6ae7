# SPDX-License-Identifier: MIT
# the allocator tcmalloc, preloaded
quick="memory"
needs()
{
    lacks_library libtcmalloc_minimal.so.4
}
starts()
{
    preloaded libtcmalloc_minimal.so.4 "$@"
}
