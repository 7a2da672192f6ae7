# SPDX-License-Identifier: MIT
# install-packages waits for another program that installs packages, and fails at once for any other reason. The programs
# that it calls are fakes: nothing is installed.
. "$SRCDIR/tests/scripts/common.sh"

mkdir bin build-aux
cp "$SRCDIR/build-aux/install-packages" build-aux/
echo "build some-package" >build-aux/packages
PATH=$PWD/bin:$PATH
export PATH

# Creates a program of this name from the standard input.
program()
{
    { echo '#!/bin/sh'; cat; } >"bin/$1"
    chmod +x "bin/$1"
}

program dpkg-query <<'END'
exit 1
END
program id <<'END'
echo 0
END
program sleep <<'END'
echo "$1" >>slept
END
# The file busy says how often the lists are still locked. apt itself waits for the lock that its option names.
program apt-get <<'END'
echo "$*" >>called
case "$*" in
*update*)
    test ! -f broken || { echo "E: The repository is gone." >&2; exit 100; }
    test "$(cat busy)" = 0 && exit 0
    echo $(($(cat busy) - 1)) >busy
    echo "E: Could not get lock /var/lib/apt/lists/lock. It is held by process 1 (apt)" >&2
    exit 100 ;;
esac
END

echo 3 >busy
build-aux/install-packages build >out.txt 2>err.txt || fail "it did not wait:" "$(cat out.txt err.txt)"
test "$(wc -l <slept)" = 3 || fail "it waited $(wc -l <slept) times, not 3"
test "$(grep -c Waiting out.txt)" = 1 || fail "it did not say exactly once that it waits:" "$(cat out.txt)"
test ! -s err.txt || fail "it complains:" "$(cat err.txt)"
grep -q 'DPkg::Lock::Timeout=[1-9].* install .*some-package' called || fail "apt is not told to wait:" "$(cat called)"

echo 1000 >busy
rm slept
if build-aux/install-packages build >out.txt 2>err.txt; then fail "it succeeds without the lock"; fi
grep -q 'Could not get lock' err.txt || fail "it does not say why:" "$(cat err.txt)"

touch broken
rm -f slept
if build-aux/install-packages build >out.txt 2>err.txt; then fail "it succeeds without a repository"; fi
test ! -f slept || fail "it waits although there is no lock"
grep -q 'The repository is gone' err.txt || fail "it does not say why:" "$(cat err.txt)"
