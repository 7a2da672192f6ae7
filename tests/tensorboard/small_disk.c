/* SPDX-License-Identifier: MIT */
/* small_disk.c - a tmpfs in a mount namespace; that takes a user namespace, or root. */
#include "tests/tensorboard/small_disk.h"

#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <unistd.h>

static void put(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0)
        return;
    if (write(fd, text, strlen(text)) < 0)
        fprintf(stderr, "%s: %s\n", path, strerror(errno));
    close(fd);
}

/* Who this process was outside is root within; nobody else is known there. */
static void be_root(unsigned user, unsigned group)
{
    char map[64];
    put("/proc/self/setgroups", "deny");
    snprintf(map, sizeof map, "0 %u 1", user);
    put("/proc/self/uid_map", map);
    snprintf(map, sizeof map, "0 %u 1", group);
    put("/proc/self/gid_map", map);
}

static bool leave_the_others(void)
{
    unsigned user = getuid(), group = getgid();
    if (unshare(CLONE_NEWUSER | CLONE_NEWNS) == 0)
        be_root(user, group);
    else if (unshare(CLONE_NEWNS) < 0)
        return false;
    /* What is mounted from here on is not seen outside. */
    return mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0;
}

bool small_disk_mount(const char *dir, size_t bytes)
{
    char size[32];
    snprintf(size, sizeof size, "size=%zu", bytes);
    if (leave_the_others() && mount("tmpfs", dir, "tmpfs", 0, size) == 0)
        return true;
    printf("SKIP: tests of a small file system: none can be mounted here (%s)\n", strerror(errno));
    fflush(stdout);
    return false;
}

void small_disk_protect(const char *dir)
{
    ck_assert_int_eq(mount(NULL, dir, NULL, MS_REMOUNT | MS_RDONLY, NULL), 0);
}

void small_disk_fill(const char *path)
{
    static const char page[4096];
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    ck_assert_int_ge(fd, 0);
    ssize_t n = 1;
    while (n > 0)
        n = write(fd, page, sizeof page);
    ck_assert_int_eq(errno, ENOSPC);
    close(fd);
}

void small_disk_unmount(const char *dir)
{
    umount2(dir, MNT_DETACH);
}
