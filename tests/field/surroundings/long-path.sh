# SPDX-License-Identifier: MIT
# a working folder whose path has 2,000 bytes
quick="digits own"
says='runs.db: cannot be opened as a database: unable to open database file: File name too long' # SQLite takes 512 bytes
without="sqlite"
prepare()
{
    move_into "$(printf '%0200d/' 1 2 3 4 5 6 7 8 9 10 | tr 0 x)"
}
