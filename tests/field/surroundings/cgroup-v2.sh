# SPDX-License-Identifier: MIT
# control groups of version 2, the parent of which has half a CPU and 1 GiB
. "$TESTS/groups.sh"
quick="machine"
groups()
{
    put proc/self/cgroup "0::/slice/job"
    put proc/self/mountinfo "30 25 0:26 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw,nsdelegate"
    cpu_v2 sys/fs/cgroup/slice
    memory_v2 sys/fs/cgroup/slice
    put sys/fs/cgroup/slice/job/cpu.max "max 100000"
    put sys/fs/cgroup/slice/job/memory.max max
}
