# SPDX-License-Identifier: MIT
# symbols.awk - circles of files, functions that no header of their file declares, and symbols that two files define. With
# graph.awk.
#
# awk -f graph.awk -f symbols.awk KNOWN DECLARED INCLUDES SYMBOLS: a line of SYMBOLS is "D SOURCE SYMBOL" for a definition
# and "U SOURCE SYMBOL" for a use; a line of DECLARED is "HEADER SYMBOL"; a line of INCLUDES is "FILE:LINE TARGET".
# "circle SOURCE" and "header SOURCE" in KNOWN are not reported again. Prints what is wrong.
function folder_of(path)
{
    sub(/[^\/]*$/, "", path)
    return path
}

# A file's headers are those of its own folder that it includes: its own, or one that several files share.
function is_declared(source, symbol, header, i)
{
    for (i = split(headers_of[source], header, " "); i > 0; i--)
        if ((header[i], symbol) in declares)
            return 1
    return 0
}

function tell(kind, source, text)
{
    if ((kind, source) in known)
        met[kind, source] = 1
    else
        print text
}

FILENAME == ARGV[1] {
    if ($1 == "circle" || $1 == "header")
        known[$1, $2] = FILENAME ":" FNR
    next
}

FILENAME == ARGV[2] {
    declares[$1, $2] = 1
    if ($1 ~ /^include\//)
        public[$2] = 1
    next
}

FILENAME == ARGV[3] {
    sub(/:[0-9]*$/, "", $1)
    if (folder_of($1) == folder_of($2))
        headers_of[$1] = headers_of[$1] " " $2
    next
}

# The linker takes the one that it finds first, without a word if one of them is in an archive.
$1 == "D" {
    if ($3 in home && home[$3] != $2)
        print (home[$3] < $2 ? $2 ": " home[$3] : home[$3] ": " $2) " also defines " $3
    home[$3] = $2
    source[$2] = 1
}
$1 == "U" { user[++uses] = $2; wanted[uses] = $3; source[$2] = 1 }

END {
    for (i = 1; i <= uses; i++)
        if (wanted[i] in home) {
            from = user[i]
            to = home[wanted[i]]
            edge(from, to)
            if (!((from, to) in through))
                through[from, to] = wanted[i]
            if (from != to && !(wanted[i] in public) && !is_declared(to, wanted[i]) &&
                !((to, wanted[i]) in told)) {
                told[to, wanted[i]] = 1
                tell("header", to, to ": " from " uses " wanted[i] ", and no header of its folder that it includes declares it")
            }
        }
    circles()
    for (pair in arrow) {
        split(pair, end, SUBSEP)
        if (in_circle(end[1], end[2])) {
            if (("circle", end[1]) in known && ("circle", end[2]) in known)
                met["circle", end[1]] = met["circle", end[2]] = 1
            else
                print end[1] ": in a circle: calls " through[pair] " of " end[2]
        }
    }
    for (pair in known)
        if (!(pair in met)) {
            split(pair, end, SUBSEP)
            if (end[2] in source)
                print known[pair] ": no longer so: delete this line"
        }
}
