# SPDX-License-Identifier: MIT
# a time zone that is 14 hours ahead in the winter, and one that does not exist
quick="own"
enter()
{
    TZ='<+14>-14<-12>+12,J60/-167,J300/167' "$@"
}
