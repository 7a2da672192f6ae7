# SPDX-License-Identifier: MIT
# SIGPIPE, SIGHUP, SIGINT and SIGCHLD are ignored from the start, as under nohup and old Python
quick="own sync"
enter()
{
    (trap '' PIPE HUP INT CHLD && "$@")
}
