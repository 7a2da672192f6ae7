# SPDX-License-Identifier: MIT
# a working folder whose name has blanks, quotes, braces, patterns and letters of other alphabets
quick="digits sync"
prepare()
{
    move_into "$(printf "it's 100%%s \"мой\" & #1 {co} [a]* \$HOME \\\\n")"
}
