# SPDX-License-Identifier: MIT
# includes.awk - what is included against the table of folders. With graph.awk.
#
# awk -f graph.awk -f includes.awk TABLE KNOWN INCLUDES: TABLE from table.awk; a line of INCLUDES is
# "FILE:LINE TARGET"; a line "include FILE TARGET" of KNOWN is not reported again. Prints what is wrong.
function room_of(path, folder, generic)
{
    folder = path
    while (sub(/[^\/]*\/?$/, "", folder) && folder != "") {
        if (folder in is_room)
            return folder
        generic = folder
        sub(/[^\/]*\/$/, "NAME/", generic)
        if (generic in is_room)
            return generic
    }
    return ""
}

# The sink that a file is of; "": none.
function sink_of(path, part)
{
    split(path, part, "/")
    return part[1] == "sinks" && part[2] != "common" && part[3] != "" ? part[2] : ""
}

FILENAME == ARGV[1] {
    is_room[$1] = 1
    for (i = 2; i <= NF; i++)
        may[$1, $i] = 1
    line_of[++lines] = $0
    next
}

FILENAME == ARGV[2] {
    if ($1 == "include")
        known[$2, $3] = FILENAME ":" FNR
    next
}

{
    file = $1
    sub(/:[0-9]*$/, "", file)
    from = room_of(file)
    to = room_of($2)
    used[from] = used[to] = 1
    if (sink_of(file) != "" && sink_of($2) != "" && sink_of(file) != sink_of($2))
        print $1 ": a sink may not include another one: " $2
    if (from == "")
        print $1 ": no row of the table of folders has this file"
    else if (from != to && !((from, "*") in may) && !((from, to) in may) && !((from, $2) in may)) {
        if ((file, $2) in known)
            met[file, $2] = 1
        else
            print $1 ": " from " may not include " $2
    }
}

END {
    for (i = 1; i <= lines; i++) {
        count = split(line_of[i], word, " ")
        for (j = 2; j <= count; j++)
            if (word[j] != "*")
                edge(word[1], word[j] in is_room ? word[j] : room_of(word[j]))
    }
    circles()
    for (pair in arrow) {
        split(pair, end, SUBSEP)
        if (in_circle(end[1], end[2]))
            print "the table of folders has a circle: " end[1] " includes " end[2]
    }
    for (folder in is_room)
        if (!(folder in used) && !((folder, "*") in may))
            print "the table of folders has " folder ", where no source is"
    for (pair in known)
        if (!(pair in met)) {
            split(pair, end, SUBSEP)
            print known[pair] ": " end[1] " no longer includes " end[2] ": delete this line"
        }
}
