/* SPDX-License-Identifier: MIT */
/* within.c - starts a program within something that it inherits.
 *
 *     within WORD... -- COMMAND ARGUMENT...
 *
 * deny=NAME:ERRNO    a system call fails, or all of a kind of file system: see the table; ERRNO is
 * a number. The kernel refuses it, so no code can go around blocked            all signals are
 * blocked spawned            posix_spawn() instead of exec; the exit status is passed on daemon the
 * program is a daemon's grandchild without a terminal; its exit status is passed on, too at=N
 * descriptors 3 to N are open on /dev/null */
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { RULES = 64, ALWAYS = -1 };

/* A rule applies if the argument, masked, is this value; ALWAYS: whatever the arguments are. */
static const struct rule {
    const char *name;
    int call;
    int argument;
    uint32_t mask, value;
} rules[] = {
    /* file systems */
    {"locks", SYS_flock, ALWAYS, 0, 0},
    {"locks", SYS_fcntl, 1, ~0U, F_SETLK},
    {"locks", SYS_fcntl, 1, ~0U, F_SETLKW},
    {"locks", SYS_fcntl, 1, ~0U, F_OFD_SETLK},
    {"locks", SYS_fcntl, 1, ~0U, F_OFD_SETLKW},
    {"rename", SYS_renameat, ALWAYS, 0, 0},
    {"rename", SYS_renameat2, ALWAYS, 0, 0},
    {"tmpfile", SYS_openat, 2, O_TMPFILE, O_TMPFILE},
    {"links", SYS_linkat, ALWAYS, 0, 0},
    {"links", SYS_symlinkat, ALWAYS, 0, 0},
    {"shared", SYS_mmap, 3, MAP_SHARED | MAP_PRIVATE | MAP_ANONYMOUS, MAP_SHARED},
    {"sync", SYS_fsync, ALWAYS, 0, 0},
    {"sync", SYS_fdatasync, ALWAYS, 0, 0},
    {"modes", SYS_fchmod, ALWAYS, 0, 0},
    {"modes", SYS_fchmodat, ALWAYS, 0, 0},
    {"modes", SYS_fchown, ALWAYS, 0, 0},
    {"modes", SYS_fchownat, ALWAYS, 0, 0},
    {"times", SYS_utimensat, ALWAYS, 0, 0},
    {"allocate", SYS_fallocate, ALWAYS, 0, 0},
    {"truncate", SYS_ftruncate, ALWAYS, 0, 0},
#ifdef SYS_rename
    {"rename", SYS_rename, ALWAYS, 0, 0},
    {"links", SYS_link, ALWAYS, 0, 0},
    {"links", SYS_symlink, ALWAYS, 0, 0},
    {"modes", SYS_chmod, ALWAYS, 0, 0},
    {"modes", SYS_chown, ALWAYS, 0, 0},
#endif
    /* what containers forbid */
    {"ptrace", SYS_ptrace, ALWAYS, 0, 0},
    {"ptrace", SYS_process_vm_readv, ALWAYS, 0, 0},
    {"ptrace", SYS_process_vm_writev, ALWAYS, 0, 0},
    {"ptrace", SYS_kcmp, ALWAYS, 0, 0},
    {"perf", SYS_perf_event_open, ALWAYS, 0, 0},
    {"perf", SYS_bpf, ALWAYS, 0, 0},
    {"namespaces", SYS_unshare, ALWAYS, 0, 0},
    {"namespaces", SYS_setns, ALWAYS, 0, 0},
    {"namespaces", SYS_mount, ALWAYS, 0, 0},
    {"keys", SYS_add_key, ALWAYS, 0, 0},
    {"keys", SYS_keyctl, ALWAYS, 0, 0},
    {"memory-policy", SYS_mbind, ALWAYS, 0, 0},
    {"memory-policy", SYS_set_mempolicy, ALWAYS, 0, 0},
    {"memory-policy", SYS_get_mempolicy, ALWAYS, 0, 0},
    {"io-uring", SYS_io_uring_setup, ALWAYS, 0, 0},
    {"userfaultfd", SYS_userfaultfd, ALWAYS, 0, 0},
    {"personality", SYS_personality, ALWAYS, 0, 0},
    /* what containers forbid because their software is older than the call */
    {"unknown", SYS_close_range, ALWAYS, 0, 0},
    {"unknown", SYS_openat2, ALWAYS, 0, 0},
    {"unknown", SYS_faccessat2, ALWAYS, 0, 0},
    {"unknown", SYS_pidfd_open, ALWAYS, 0, 0},
    {"unknown", SYS_rseq, ALWAYS, 0, 0},
    /* what older kernels do not have */
    {"new", SYS_clone3, ALWAYS, 0, 0},
    {"new", SYS_close_range, ALWAYS, 0, 0},
    {"new", SYS_openat2, ALWAYS, 0, 0},
    {"new", SYS_faccessat2, ALWAYS, 0, 0},
    {"new", SYS_pidfd_open, ALWAYS, 0, 0},
    {"new", SYS_statx, ALWAYS, 0, 0},
    {"new", SYS_rseq, ALWAYS, 0, 0},
    {"new", SYS_memfd_create, ALWAYS, 0, 0},
    {"new", SYS_copy_file_range, ALWAYS, 0, 0},
    {"new", SYS_membarrier, ALWAYS, 0, 0},
    {"new", SYS_renameat2, ALWAYS, 0, 0},
    {"affinity", SYS_sched_getaffinity, ALWAYS, 0, 0},
    {"names", SYS_prctl, 0, ~0U, PR_SET_NAME},
    {"timers", SYS_timer_create, ALWAYS, 0, 0},
};

static int fail(const char *what)
{
    fprintf(stderr, "within: %s: %s\n", what, strerror(errno));
    return 125;
}

static int rule_apply(const struct rule *rule, int error)
{
    uint32_t argument = rule->argument == ALWAYS ? 0 : (uint32_t)rule->argument;
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)rule->call, 0, 4),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
                 (uint32_t)(offsetof(struct seccomp_data, args) + 8 * argument)),
        BPF_STMT(BPF_ALU | BPF_AND | BPF_K, rule->argument == ALWAYS ? 0 : rule->mask),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, rule->argument == ALWAYS ? 0 : rule->value, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (uint32_t)error),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof code / sizeof *code, code};
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

static int deny(const char *text)
{
    const char *colon = strchr(text, ':');
    size_t length = colon ? (size_t)(colon - text) : strlen(text);
    bool any = false;
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        return fail("no_new_privs");
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        if (strlen(rules[i].name) != length || strncmp(rules[i].name, text, length) != 0)
            continue;
        any = true;
        if (rule_apply(&rules[i], colon ? atoi(colon + 1) : EPERM) != 0)
            return fail("seccomp");
    }
    errno = EINVAL;
    return any ? 0 : fail(text);
}

static int passed_on(pid_t child)
{
    int status;
    if (waitpid(child, &status, 0) != child)
        return fail("waitpid");
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static int spawned(char **argv)
{
    pid_t child;
    errno = posix_spawnp(&child, *argv, NULL, NULL, argv, environ);
    return errno ? fail(*argv) : passed_on(child);
}

/* The grandchild has no parent that waits: its parent passes the status on by a pipe. */
static int daemon_start(char **argv)
{
    int ends[2], status = 125;
    if (pipe2(ends, O_CLOEXEC) != 0)
        return fail("pipe");
    if (fork() == 0) {
        setsid();
        if (fork() != 0)
            _exit(0);
        int found = spawned(argv);
        _exit(write(ends[1], &found, sizeof found) != sizeof found);
    }
    close(ends[1]);
    if (read(ends[0], &status, sizeof status) != sizeof status)
        return fail("the daemon");
    return status;
}

int main(int argc, char **argv)
{
    int (*start)(char **) = NULL;
    int at = 1;
    for (; at < argc && strcmp(argv[at], "--") != 0; at++) {
        const char *word = argv[at];
        sigset_t all;
        sigfillset(&all);
        if (strncmp(word, "deny=", 5) == 0 && deny(word + 5) != 0)
            return 125;
        if (strcmp(word, "blocked") == 0)
            sigprocmask(SIG_BLOCK, &all, NULL);
        if (strcmp(word, "spawned") == 0)
            start = spawned;
        if (strcmp(word, "daemon") == 0)
            start = daemon_start;
        for (int i = 3; strncmp(word, "at=", 3) == 0 && i <= atoi(word + 3); i++)
            if (dup2(0, i) != i)
                return fail("dup2");
    }
    if (at + 1 >= argc)
        return 125;
    if (start)
        return start(argv + at + 1);
    execvp(argv[at + 1], argv + at + 1);
    return fail(argv[at + 1]);
}
