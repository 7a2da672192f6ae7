# SPDX-License-Identifier: MIT
# an installation that was moved after it was built, to a folder whose name has a blank
quick="own memory"
says='the loader cannot preload a library whose path has a blank|there is no function profile'
without="own status memory functions csv sed awk cut grep" # such a program is not started
enter()
{
    mkdir "moved here" && cp -a "$PREFIX/." "moved here"
    PATH="$HERE/moved here/bin:$PATH" LD_LIBRARY_PATH="$HERE/moved here/lib" "$@"
}
