# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Finds the distribution's MLIR and makes shardwise_use_mlir(target) and
# shardwise_tablegen(...) available.

list(APPEND CMAKE_PREFIX_PATH /usr/lib/llvm-22)
# The version file of MLIR compares major.minor exactly: "22" alone is refused.
find_package(MLIR 22.1 REQUIRED CONFIG)
list(APPEND CMAKE_MODULE_PATH "${MLIR_CMAKE_DIR}" "${LLVM_CMAKE_DIR}")
include(TableGen)
include(AddLLVM)
include(AddMLIR)
separate_arguments(SHARDWISE_LLVM_DEFINITIONS UNIX_COMMAND "${LLVM_DEFINITIONS}")

# Headers with the instantiations that every dialect and pass file needs. One object library
# builds them; the others reuse the file, which saves a third of the compile time.
file(WRITE "${PROJECT_BINARY_DIR}/MLIRPrecompiled.cpp" "// Only carries the precompiled header.\n")
add_library(shardwise_mlir_pch OBJECT "${PROJECT_BINARY_DIR}/MLIRPrecompiled.cpp")

function(shardwise_configure_mlir_flags target)
  target_include_directories(${target} SYSTEM PUBLIC ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
  target_include_directories(${target} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}> $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}>)
  target_compile_options(${target} PRIVATE ${SHARDWISE_LLVM_DEFINITIONS})
endfunction()

# The shared libMLIR: static component archives would link for half a minute a tool.
# Tools inherit it through the layers.
function(shardwise_use_mlir target)
  shardwise_configure_mlir_flags(${target})
  target_precompile_headers(${target} REUSE_FROM shardwise_mlir_pch)
  target_link_libraries(${target} PUBLIC MLIR LLVM)
endfunction()

shardwise_configure_mlir_flags(shardwise_mlir_pch)
target_link_libraries(shardwise_mlir_pch PRIVATE shardwise_options)
target_precompile_headers(shardwise_mlir_pch PRIVATE
  <mlir/IR/Builders.h>
  <mlir/IR/BuiltinAttributes.h>
  <mlir/IR/BuiltinOps.h>
  <mlir/IR/DialectImplementation.h>
  <mlir/IR/OpImplementation.h>
  <mlir/Bytecode/BytecodeOpInterface.h>
  <mlir/Dialect/Func/IR/FuncOps.h>
  <mlir/Interfaces/InferTypeOpInterface.h>
  <mlir/Interfaces/SideEffectInterfaces.h>
  <mlir/Pass/Pass.h>)
