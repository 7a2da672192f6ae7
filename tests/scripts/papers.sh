# SPDX-License-Identifier: MIT
# The papers of a release agree: versions and the address of the project in all files, and what pkg-config needs. `make
# release` makes the tarball and its checksums from a tree that is ready, and says of any other what is missing.
. "$SRCDIR/tests/scripts/common.sh"

# ---- pkg-config --------------------------------------------------------------------------------------------

if have pkg-config; then
    PKG_CONFIG_PATH=$BUILDDIR${PKG_CONFIG_PATH:+:$PKG_CONFIG_PATH}
    export PKG_CONFIG_PATH
    pkg-config --print-requires-private stepwatch | grep -q '^yaml-0.1' || fail "stepwatch.pc does not require libyaml privately"
    for package in "$BUILDDIR"/*.pc; do
        package=$(basename "$package" .pc)
        grep -q '^URL: http' "$BUILDDIR/$package.pc" || fail "$package.pc has no URL"
        pkg-config --static --libs "$package" >static.txt 2>&1 || fail "$package.pc: $(cat static.txt)"
        case $package in
        stepwatch) contains static.txt -lyaml -lm -pthread ;;
        stepwatch-wandb) contains static.txt -ljansson ;;
        esac
        shared=$(pkg-config --libs "$package")
        case $shared in *yaml* | *jansson* | *curl*) fail "$package.pc links what only static programs need: $shared" ;; esac
    done
else
    echo "SKIP: papers: pkg-config is not installed"
fi

# ---- make release ------------------------------------------------------------------------------------------

have git || skip "git is not installed"
version=$(sed -n 's/^PACKAGE_VERSION = //p' "$BUILDDIR/Makefile")
HOME=$scratch GIT_CONFIG_NOSYSTEM=1 GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@example.org
GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@example.org
export HOME GIT_CONFIG_NOSYSTEM GIT_AUTHOR_NAME GIT_AUTHOR_EMAIL GIT_COMMITTER_NAME GIT_COMMITTER_EMAIL
mkdir -p tree/include/stepwatch tree/debian made
cd tree
for file in configure.ac CHANGELOG.md CITATION.cff include/stepwatch/stepwatch.h debian/control debian/copyright debian/changelog debian/watch; do
    cat "$SRCDIR/$file" >"$file"
done
git init -q .
git add .
git commit -q -m first
cd ../made
# In place of make, which would need the whole tree.
printf '#!/bin/sh\necho made >stepwatch-%s.tar.xz\n' "$version" >../make
chmod +x ../make

# release EXPECTED-STATUS: in said.txt is what it says.
release()
{
    status=0
    MAKE=$scratch/make "$SRCDIR/build-aux/release" ../tree >said.txt 2>&1 || status=$?
    test "$status" = "$1" || fail "make release exits with $status, expected $1:" "$(cat said.txt)"
}
commit()
{
    git -C ../tree commit -q -a -m "$1"
}

# Ready, whatever the state of this tree is.
sed -i "s/^## $version.*/## $version - 2026-01-31/" ../tree/CHANGELOG.md
sed -i "1s/UNRELEASED/unstable/" ../tree/debian/changelog
release 1
contains said.txt "these files are not as in the last commit" CHANGELOG.md debian/changelog
commit ready
release 0
contains said.txt "git tag -a v$version"
sha256sum -c --quiet "stepwatch-$version.tar.xz.sha256" || fail "the checksum is not that of the tarball"
sha512sum -c --quiet "stepwatch-$version.tar.xz.sha512" || fail "the checksum is not that of the tarball"
rm stepwatch-*

# Each mistake alone is found, and nothing is made.
# mistake FILE SED-SCRIPT TEXT...
mistake()
{
    file=$1
    sed -i "$2" "../tree/$file"
    shift 2
    git -C ../tree diff --quiet && fail "the mistake in $file is none: mend this test"
    commit mistake
    release 1
    contains said.txt "$file: expected" "$@"
    test -z "$(ls stepwatch-* 2>/dev/null)" || fail "a release was made of a tree with a mistake in $file"
    git -C ../tree reset -q --hard HEAD^
}
mistake include/stepwatch/stepwatch.h 's/^#define SW_VERSION_NUMBER .*/#define SW_VERSION_NUMBER 0x636363/' SW_VERSION_NUMBER
mistake CITATION.cff 's/^version: .*/version: 99.0.0/' "version: $version"
mistake debian/control '/^Homepage:/d' "Homepage: http"
mistake debian/control 's/^Vcs-Git: .*/Vcs-Git: https:\/\/example.org/' "Vcs-Git: http"
mistake debian/watch 's/https:.*//' http
sed -i "s/^## $version.*/## $version (not released yet)/" ../tree/CHANGELOG.md
sed -i "1s/unstable/UNRELEASED/" ../tree/debian/changelog
commit unreleased
release 1
contains said.txt "CHANGELOG.md: the first section is" "expected \"## $version - " "the version is UNRELEASED"
git -C ../tree reset -q --hard HEAD^
git -C ../tree tag "v$version" HEAD^
release 1
contains said.txt "the tag v$version is another commit's"
git -C ../tree tag -d "v$version" >/dev/null

# The address is changed in one place.
"$SRCDIR/build-aux/release" ../tree address https://example.org/stepwatch/ >changed.txt
contains changed.txt configure.ac CITATION.cff debian/control debian/watch
commit address
release 0
