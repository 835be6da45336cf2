# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Finds OpenMPI or MPICH, and sets SHARDWISE_MPI if ranks can be in several processes. Sanitizers take what
# these libraries do for races and leaks; the code that calls them is small, and mail between processes of a
# host needs none of them.

include(GNUInstallDirs)
# Where the tools look for it, from the folder above theirs.
set(SHARDWISE_PLUGIN_FOLDER "${CMAKE_INSTALL_LIBDIR}/shardwise")

set(SHARDWISE_MPI OFF)
if(SHARDWISE_SANITIZER STREQUAL "" AND NOT SHARDWISE_WITH_MPI STREQUAL "OFF")
  set(MPI_CXX_SKIP_MPICXX ON)
  find_package(MPI COMPONENTS CXX QUIET)
  if(MPI_CXX_FOUND)
    set(SHARDWISE_MPI ON)
  else()
    set(message "MPI is not installed: no ranks in several processes (Debian: libopenmpi-dev openmpi-bin, or "
      "libmpich-dev mpich; `scripts/setup --optional` installs the former)")
    if(SHARDWISE_WITH_MPI STREQUAL "ON")
      message(FATAL_ERROR ${message})
    endif()
    message(STATUS ${message})
  endif()
endif()
