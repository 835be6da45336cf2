# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What scripts/compare_builds.py runs, and how."""
