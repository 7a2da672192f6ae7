# SPDX-License-Identifier: MIT
# What the monitor says of the process and the machine: which metrics, and values that can be.
pack()
{
    cp "$PROGRAMS/train" .
    printf 'profiler: { show_report: false }\nmonitors: { interval: 100ms, system: {} }\nlogger_callback: [ { runlog: { path: run.jsonl } } ]\n' >stepwatch.yaml
}

journey()
{
    nproc >cpus
    $AS ./train 400 >out 2>err
    echo $? >status
}

# Names of disks and networks are those of the machine.
arrive()
{
    own_facts train:
    grep '"by":"monitor"' run.jsonl | sed 's/.*"name":"\([^"]*\)","value":\([^,}]*\).*/\1 \2/' >values
    cut -d' ' -f1 values | grep '^process/\|^system/\(cpu\|memory\)' | sort -u | sed 's/^/machine: /'
    awk -v cpus="$(cat cpus)" '$1 == "process/cpus_available" && $2 != cpus { print "machine: " $2 " CPUs, but nproc says " cpus; exit }
                               $2 < 0 || $1 ~ /percent$/ && $2 > 120 { print "machine: " $0 " cannot be"; exit }' values
}
