# SPDX-License-Identifier: MIT
# root without any capability, as in a container with cap-drop ALL
quick="own"
needs()
{
    lacks_root
    lacks setpriv
}
enter()
{
    setpriv --bounding-set=-all --inh-caps=-all --no-new-privs "$@"
}
