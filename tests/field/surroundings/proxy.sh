# SPDX-License-Identifier: MIT
# a proxy that does not answer, and an exception for this host
quick="sync"
leaves_out="digits own check report memory functions watch"
enter()
{
    http_proxy=http://127.0.0.1:9 https_proxy=http://127.0.0.1:9 HTTPS_PROXY=http://127.0.0.1:9 ALL_PROXY=http://127.0.0.1:9 \
        no_proxy=127.0.0.1,localhost NO_PROXY=127.0.0.1,localhost "$@"
}
