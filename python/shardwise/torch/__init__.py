# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Shardwise for PyTorch."""

from .redistribute import RedistributePlan, RoundOfPlan, clear_plans, plan, redistribute

__all__ = ["RedistributePlan", "RoundOfPlan", "clear_plans", "plan", "redistribute"]
