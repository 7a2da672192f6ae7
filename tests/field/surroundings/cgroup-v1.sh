# SPDX-License-Identifier: MIT
# control groups of version 1, mounted in another order than they are listed, with half a CPU and 1 GiB
. "$TESTS/groups.sh"
quick="machine"
groups()
{
    put proc/self/cgroup "7:cpu,cpuacct:/job" "3:memory:/job" "0::/job"
    put proc/self/mountinfo "25 1 0:2 / /sys/fs/cgroup ro - tmpfs tmpfs ro,mode=755" \
        "30 25 0:26 / /sys/fs/cgroup/cpuacct,cpu rw,nosuid shared:9 - cgroup cgroup rw,cpuacct,cpu" \
        "31 25 0:27 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory"
    cpu_v1 sys/fs/cgroup/cpuacct,cpu/job
    memory_v1 sys/fs/cgroup/memory/job
}
