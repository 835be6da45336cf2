// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The extension module `shardwise._core`: converts types and errors, and has no logic. What users
// see are the classes and functions of the package around it.

#include "DeviceArrayBindings.h"
#include "Failure.h"
#include "FileBindings.h"
#include "GraphBindings.h"
#include "GuardBindings.h"
#include "HostBindings.h"
#include "PlanBindings.h"
#include "ProgramBindings.h"
#include "ShardingBindings.h"

NB_MODULE(_core, module) {
  module.doc() = "The C++ half of the package shardwise; not for use from outside of it.";
  shardwise::python::registerFailures(module);
  shardwise::python::bindShardings(module);
  shardwise::python::bindPlans(module);
  shardwise::python::bindFiles(module);
  shardwise::python::bindPrograms(module);
  shardwise::python::bindDeviceArrays(module);
  shardwise::python::bindGuards(module);
  shardwise::python::bindHost(module);
  shardwise::python::bindGraphs(module);
}
