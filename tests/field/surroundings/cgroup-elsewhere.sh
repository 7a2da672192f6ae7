# SPDX-License-Identifier: MIT
# the control group of a container, mounted at another place, with half a CPU and 1 GiB
. "$TESTS/groups.sh"
quick=""
groups()
{
    put proc/self/cgroup "0::/docker/1234"
    put proc/self/mountinfo "30 25 0:26 /docker/1234 /groups rw - cgroup2 cgroup2 rw"
    cpu_v2 groups
    memory_v2 groups
}
