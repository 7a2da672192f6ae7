# SPDX-License-Identifier: MIT
# a locale with a decimal comma and thousands with a dot
quick="digits report"
needs()
{
    lacks localedef
}
prepare()
{
    mkdir locale && localedef -i de_DE -f UTF-8 locale/de_DE.UTF-8
}
enter()
{
    LOCPATH=$HERE/locale LC_ALL=de_DE.UTF-8 LANG=de_DE.UTF-8 "$@"
}
