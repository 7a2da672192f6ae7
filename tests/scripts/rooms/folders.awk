# SPDX-License-Identifier: MIT
# folders.awk - the table of folders with the lines of rooms/folders in place of its rows.
#
# awk -f folders.awk FOLDERS TABLE: TABLE from table.awk. A row for any folder (NAME) goes where FOLDERS has folders that it stands
# for, but not the row itself.
/^#/ { next }
FILENAME == ARGV[1] { listed[$1] = 1; print; next }
$1 in listed { next }
{
    any = $1
    if (sub(/NAME\/$/, "", any))
        for (folder in listed)
            if (index(folder, any) == 1)
                next
    print
}
