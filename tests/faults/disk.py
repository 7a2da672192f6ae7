# SPDX-License-Identifier: MIT
"""Disks that are full, broken or gone."""
