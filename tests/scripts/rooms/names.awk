# SPDX-License-Identifier: MIT
# names.awk - files and structs whose name is given twice.
#
# awk -f names.awk FILES STRUCTS: FILES has a path a line, STRUCTS a line "FILE:LINE NAME" for each definition of a struct.
# NAME.c and NAME.h of one folder belong together. A command's file is named after the command.
FILENAME == ARGV[1] {
    stem = $1
    sub(/\.[^.]*$/, "", stem)
    name = stem
    sub(/.*\//, "", name)
    if (stem ~ /^tools\/commands\// || !(name in first)) {
        if (stem !~ /^tools\/commands\//)
            first[name] = stem
    } else if (first[name] != stem && !told[stem]++)
        print $1 ": " first[name] " has the same name"
    next
}

$2 in place { print $1 ": struct " $2 " is also defined at " place[$2] }
!($2 in place) { place[$2] = $1 }
