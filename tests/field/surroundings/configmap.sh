# SPDX-License-Identifier: MIT
# a configuration from a ConfigMap: links of root in a folder that everybody may write to, mounted read-only
quick="own check"
leaves_out="report watch sync memory functions machine" # have no configuration of that name
needs()
{
    lacks_root
    lacks setpriv
}
prepare()
{
    mkdir config config/..2026_01_01 && mv all.yaml config/..2026_01_01 && chown -R 1000:1000 . && chown -R 0:0 config &&
        chmod 1777 config && ln -s ..2026_01_01 config/..data && ln -s ..data/all.yaml config/all.yaml &&
        ln -s config/all.yaml all.yaml
}
enter()
{
    in_mounts sh -c 'mount --bind config config && mount -o remount,bind,ro config && exec "$@"' sh \
        setpriv --reuid 1000 --regid 1000 --clear-groups "$@"
}
