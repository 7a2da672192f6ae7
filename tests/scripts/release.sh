# SPDX-License-Identifier: MIT
# release.sh TARBALL - `make dist` makes the same bytes as TARBALL in another folder, at another time, with another umask.
# `.ci/run distcheck` runs it; it takes too long for `make check`.
tarball=$(readlink -f "$1")
. "$SRCDIR/tests/scripts/common.sh"
have autoreconf || skip "autoconf, automake and libtool are not installed"

# Copy the tree as a clone would have it. Without .git, the date must be given.
SOURCE_DATE_EPOCH=$(tar --utc --full-time -tvf "$tarball" | awk '{ print $4, $5; exit }')
SOURCE_DATE_EPOCH=$(date -u -d "$SOURCE_DATE_EPOCH" +%s)
export SOURCE_DATE_EPOCH
umask 077
mkdir -p another-folder/source another-folder/made
(cd "$SRCDIR" && git ls-files -z | tar --null -T - -cf -) | tar -xf - -C another-folder/source
find another-folder/source -exec touch -h -d 2001-01-01 {} +
cd another-folder/source
./autogen.sh >../log.txt 2>&1 || fail "autogen.sh:" "$(tail -n 20 ../log.txt)"
cd ../made
../source/configure -q >../log.txt 2>&1 || fail "configure:" "$(tail -n 20 ../log.txt)"
make -s dist >../log.txt 2>&1 || fail "make dist:" "$(tail -n 20 ../log.txt)"
cmp "$tarball" stepwatch-*.tar.xz || {
    tar -tvf "$tarball" >"$scratch/one"
    tar -tvf stepwatch-*.tar.xz | diff "$scratch/one" - >&2 || true
    fail "make dist makes a different tarball in another folder"
}
owners=$(tar --numeric-owner -tvf "$tarball" | awk '{ print $2 }' | sort -u)
test "$owners" = 0/0 || fail "the files of the release belong to" $owners
times=$(tar -tvf "$tarball" | awk '{ print $4, $5 }' | sort -u | wc -l)
test "$times" = 1 || fail "the files of the release have $times dates"
