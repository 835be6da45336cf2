# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Compiler cache, linker, warnings and sanitizers, for our own targets only.

find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER "${CCACHE_PROGRAM}")
endif()

add_library(shardwise_options INTERFACE)
target_compile_options(shardwise_options INTERFACE
  -Wall -Wextra -Wno-unused-parameter -fvisibility-inlines-hidden)

if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  find_program(LLD_PROGRAM NAMES ld.lld-22 ld.lld)
  if(LLD_PROGRAM)
    add_link_options("--ld-path=${LLD_PROGRAM}")
  endif()
endif()

if(SHARDWISE_SANITIZER STREQUAL "address")
  target_compile_options(shardwise_options INTERFACE
    -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
  add_link_options(-fsanitize=address,undefined)
elseif(SHARDWISE_SANITIZER STREQUAL "thread")
  target_compile_options(shardwise_options INTERFACE -fsanitize=thread -fno-omit-frame-pointer)
  add_link_options(-fsanitize=thread)
elseif(NOT SHARDWISE_SANITIZER STREQUAL "")
  message(FATAL_ERROR "SHARDWISE_SANITIZER is '${SHARDWISE_SANITIZER}'; expected address, thread or empty")
endif()

# Coverage feedback for libFuzzer in every layer; the targets link the driver themselves.
if(SHARDWISE_FUZZ)
  target_compile_options(shardwise_options INTERFACE -fsanitize=fuzzer-no-link)
endif()
