# SPDX-License-Identifier: MIT
# a home whose folder, cache and working folder are links to another disk, as on clusters
quick="own sync"
prepare()
{
    mkdir disk disk/home disk/cache
    rmdir home
    ln -s disk/home home
    ln -s ../cache disk/home/.cache
    ln -s "$HERE" disk/work
}
enter()
{
    (cd disk/work && "$@")
}
