# SPDX-License-Identifier: MIT
# control groups of both versions: half a CPU in version 1, 1 GiB in version 2
. "$TESTS/groups.sh"
quick=""
groups()
{
    put proc/self/cgroup "7:cpu:/job" "0::/job"
    put proc/self/mountinfo "30 25 0:26 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu" \
        "31 25 0:27 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw"
    cpu_v1 sys/fs/cgroup/cpu/job
    memory_v2 sys/fs/cgroup/unified/job
}
