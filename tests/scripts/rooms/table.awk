# SPDX-License-Identifier: MIT
# table.awk - the table of folders, as lines: a line for each folder, and after it what it may include.
#
# The table is the one below "| folder | what is in it | includes |". Folders and files are in backquotes; all other
# words are for the reader. NAME stands for any one folder. "anything" in the last column makes a line with "*".
function quoted(text, words)
{
    words = ""
    while (match(text, /`[^`]*`/)) {
        words = words " " substr(text, RSTART + 1, RLENGTH - 2)
        text = substr(text, RSTART + RLENGTH)
    }
    return words
}

/^\| folder \| what is in it \| includes \|$/ { inside = 1; next }
inside && !/^\|/ { exit }
inside && /^\| `/ {
    split($0, column, "|")
    allowed = column[4] ~ /anything/ ? " *" : quoted(column[4])
    count = split(quoted(column[2]), folder, " ")
    for (i = 1; i <= count; i++)
        print folder[i] allowed
}
