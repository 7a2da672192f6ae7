# SPDX-License-Identifier: MIT
# What tests/scripts/guides.sh follows.
EXTRA_DIST += %D%/coming-from.md %D%/getting-started.md %D%/report.md
