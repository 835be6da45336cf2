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

# shardwise_static_mlir_archives(OUT COMPONENT...): the archives of the components of MLIR and of all
# that they need. Debian's targets cannot be linked as they are: they name the shared libLLVM.
function(shardwise_static_mlir_archives out)
  set(components "")
  set(pending ${ARGN})
  while(pending)
    list(POP_FRONT pending component)
    if(component IN_LIST components)
      continue()
    endif()
    list(APPEND components ${component})
    get_target_property(needs ${component} INTERFACE_LINK_LIBRARIES)
    string(REGEX MATCHALL "MLIR[A-Za-z0-9]+" needs "${needs}")
    list(APPEND pending ${needs})
  endwhile()
  list(TRANSFORM components REPLACE "(.+)" "$<TARGET_FILE:\\1>")
  set(${out} ${components} PARENT_SCOPE)
endfunction()

# Static components by default: a tool then starts in a fifth of the time with a tenth of the memory
# (docs/design/0007). Only programs that load plugins built against libMLIR need the shared one.
option(SHARDWISE_SHARED_MLIR "Link the shared libMLIR instead of its static components" OFF)
add_library(shardwise_mlir INTERFACE)
if(SHARDWISE_SHARED_MLIR)
  target_link_libraries(shardwise_mlir INTERFACE MLIR LLVM)
else()
  shardwise_static_mlir_archives(archives
    MLIROptLib MLIRLspServerLib MLIRFuncDialect MLIRFuncInlinerExtension MLIRQuantDialect
    MLIRArithDialect MLIRShardDialect MLIRTensorDialect
    MLIRTransforms MLIRBytecodeReader MLIRBytecodeWriter MLIRParser MLIRPass MLIRIR)
  list(JOIN archives "," archives)
  target_link_libraries(shardwise_mlir INTERFACE
    "$<LINK_GROUP:RESCAN,${archives}>" LLVMRemarks LLVMSupportLSP LLVMSupport)
  # LLVM's support library names a solver and compressors that only parts of it need.
  target_link_options(shardwise_mlir INTERFACE LINKER:--gc-sections LINKER:--as-needed)
endif()

function(shardwise_use_mlir target)
  shardwise_configure_mlir_flags(${target})
  target_precompile_headers(${target} REUSE_FROM shardwise_mlir_pch)
  target_link_libraries(${target} PUBLIC shardwise_mlir)
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
