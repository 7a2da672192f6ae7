# SPDX-License-Identifier: MIT
# a virtual machine with room for 128 CPUs, most of which are not there
quick="machine"
needs()
{
    lacks_mounts
}
enter()
{
    in_mounts sh -c 'for name in online possible present; do
                         echo 0-127 >"$name" && mount --bind "$name" /sys/devices/system/cpu/$name || exit
                     done
                     exec "$@"' sh "$@"
}
