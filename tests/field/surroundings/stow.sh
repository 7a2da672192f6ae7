# SPDX-License-Identifier: MIT
# an installation that is a tree of links, as of stow, Nix and Homebrew
quick="own check"
prepare()
{
    mkdir tree && cp -as "$PREFIX/." tree
}
enter()
{
    PATH=$HERE/tree/bin:$PATH LD_LIBRARY_PATH=$HERE/tree/lib "$@"
}
