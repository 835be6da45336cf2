// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "shardwise/mpi/Termination.h"

#include <csignal>

namespace shardwise::mpi {
namespace {

volatile std::sig_atomic_t hasCome = 0;

void noteTermination(int) {
  hasCome = 1;
}

/// What SIGTERM does now.
struct sigaction currentAction() {
  struct sigaction action = {};
  sigaction(SIGTERM, nullptr, &action);
  return action;
}

} // namespace

void catchTermination() {
  struct sigaction action = currentAction();
  if (action.sa_handler != SIG_DFL)
    return;
  action.sa_handler = noteTermination;
  action.sa_flags = SA_RESTART;
  sigaction(SIGTERM, &action, nullptr);
}

bool wasTerminated() {
  return hasCome != 0;
}

void leaveTermination() {
  if (currentAction().sa_handler == noteTermination)
    std::signal(SIGTERM, SIG_DFL);
}

void endAsTerminated() {
  std::signal(SIGTERM, SIG_DFL);
  std::raise(SIGTERM);
}

} // namespace shardwise::mpi
