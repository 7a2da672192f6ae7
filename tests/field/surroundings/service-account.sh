# SPDX-License-Identifier: MIT
# an installation that belongs to an account of its own, as trees of modules on clusters
quick="own functions"
needs()
{
    lacks_root
    lacks setpriv
}
prepare()
{
    cp -a "$PREFIX" "$HERE/tree" && chown -R 12345:12345 tree && chown -R 1000:1000 "$HERE" && chown -R 12345:12345 tree
}
enter()
{
    in_mounts sh -c 'mount --bind "$HERE/tree" "$PREFIX" && exec "$@"' sh \
        setpriv --reuid 1000 --regid 1000 --clear-groups "$@"
}
