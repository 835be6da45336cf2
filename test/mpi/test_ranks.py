# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The tests of communicators and collectives with ranks in several processes."""

import pytest

from conftest import BUILD


@pytest.mark.parametrize("processes, tests", [
    (2, "*"), (3, "ExchangeTest.*:MpiProcessesTest.*:StartCollectivesTest.*"),
    (8, "CollectivesTest.*:MpiProcessesTest.*:StartCollectivesTest.*")])
def test_unit_tests_pass_in_all_processes(mpirun, processes, tests):
    done = mpirun(processes, BUILD / "mpitests" / "ShardwiseMpiTests", "--gtest_brief=1",
                  "--gtest_filter=" + tests)
    assert done.returncode == 0, done.stdout
    assert done.stdout.count("[  PASSED  ]") == processes, done.stdout
