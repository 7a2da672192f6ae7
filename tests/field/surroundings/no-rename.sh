# SPDX-License-Identifier: MIT
# a file system that cannot rename, as some FUSE file systems of object stores, and says so in one of three ways
quick="own functions sync"
needs()
{
    "$PROGRAMS/within" deny=ptrace -- true 2>/dev/null || echo "there is no seccomp"
}
enter()
{
    case $JOURNEY in
    functions | report) error=95 ;; # EOPNOTSUPP
    sync | watch) error=22 ;;       # EINVAL
    *) error=38 ;;                  # ENOSYS
    esac
    "$PROGRAMS/within" deny=rename:$error -- "$@"
}
