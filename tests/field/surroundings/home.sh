# SPDX-License-Identifier: MIT
# a home: a folder, a user with a name, everything that a machine usually has. The others are compared with it
