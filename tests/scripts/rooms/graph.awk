# SPDX-License-Identifier: MIT
# graph.awk - circles in a graph: edge(from, to) for each arrow, then circles() numbers the nodes (Tarjan's strongly
# connected components): circle_of[node], and circle_size[number], which is 1 for a node that is in no circle.
function edge(from, to)
{
    node[from] = node[to] = 1
    if (from != to && !((from, to) in arrow)) {
        arrow[from, to] = 1
        next_to[from] = next_to[from] " " to
    }
}

function visit(v, targets, count, i, w)
{
    low[v] = number[v] = ++numbered
    stack[++height] = v
    on_stack[v] = 1
    count = split(next_to[v], targets, " ")
    for (i = 1; i <= count; i++) {
        w = targets[i]
        if (!(w in number))
            visit(w)
        if (on_stack[w] && low[w] < low[v])
            low[v] = low[w]
    }
    if (low[v] != number[v])
        return
    circle_count++
    do {
        w = stack[height--]
        on_stack[w] = 0
        circle_of[w] = circle_count
        circle_size[circle_count]++
    } while (w != v)
}

function circles(v)
{
    for (v in node)
        if (!(v in number))
            visit(v)
}

function in_circle(from, to)
{
    return circle_of[from] == circle_of[to] && circle_size[circle_of[from]] > 1
}
