# SPDX-License-Identifier: MIT
# the allocator tcmalloc, preloaded
quick="memory"
says='libtcmalloc.*has no debug information'
needs()
{
    lacks_library libtcmalloc_minimal.so.4
}
starts()
{
    preloaded libtcmalloc_minimal.so.4 "$@"
}
