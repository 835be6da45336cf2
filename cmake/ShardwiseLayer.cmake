# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# shardwise_add_layer(NAME [MLIR] PUBLIC_HEADERS ... SOURCES ... [DEPENDS ...] [TESTS ...])
#
# One layer: a static library ShardwiseNAME, and, if tests are on, a gtest program
# ShardwiseNAMETests made of TESTS. MLIR marks layers that include MLIR headers. PUBLIC_HEADERS are
# the door of the layer: what other layers may include (scripts/lint_layers.py) and what is installed.

function(shardwise_add_layer NAME)
  cmake_parse_arguments(LAYER "MLIR" "" "PUBLIC_HEADERS;SOURCES;DEPENDS;TESTS" ${ARGN})
  set(target Shardwise${NAME})
  add_library(${target} STATIC ${LAYER_SOURCES})
  add_library(Shardwise::${NAME} ALIAS ${target})
  target_include_directories(${target} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}> $<INSTALL_INTERFACE:include>)
  target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:shardwise_options> PUBLIC fmt::fmt)
  target_compile_features(${target} PUBLIC cxx_std_20)
  foreach(dependency IN LISTS LAYER_DEPENDS)
    target_link_libraries(${target} PUBLIC ${dependency})
  endforeach()
  if(LAYER_MLIR)
    shardwise_use_mlir(${target})
  endif()
  # What ShardwiseInstall installs.
  if(LAYER_MLIR)
    set_property(GLOBAL APPEND PROPERTY SHARDWISE_COMPILER_LAYERS ${NAME})
  else()
    set_property(GLOBAL APPEND PROPERTY SHARDWISE_LIBRARY_LAYERS ${NAME})
  endif()
  shardwise_public_headers(PUBLIC_HEADERS ${LAYER_PUBLIC_HEADERS})
  if(SHARDWISE_BUILD_TESTS AND LAYER_TESTS)
    shardwise_add_unit_test(${target}Tests SOURCES ${LAYER_TESTS} DEPENDS ${target})
  endif()
endfunction()

# shardwise_public_headers(PUBLIC_HEADERS ...): remembers headers of this folder for ShardwiseInstall.
function(shardwise_public_headers)
  cmake_parse_arguments(LAYER "" "" "PUBLIC_HEADERS" ${ARGN})
  cmake_path(RELATIVE_PATH CMAKE_CURRENT_SOURCE_DIR BASE_DIRECTORY "${PROJECT_SOURCE_DIR}"
    OUTPUT_VARIABLE folder)
  list(TRANSFORM LAYER_PUBLIC_HEADERS PREPEND "${folder}/")
  set_property(GLOBAL APPEND PROPERTY SHARDWISE_PUBLIC_HEADERS ${LAYER_PUBLIC_HEADERS})
endfunction()

# shardwise_add_unit_test(NAME SOURCES ... DEPENDS ...): one gtest program.
function(shardwise_add_unit_test NAME)
  cmake_parse_arguments(TEST "" "" "SOURCES;DEPENDS" ${ARGN})
  add_executable(${NAME} ${TEST_SOURCES})
  target_link_libraries(${NAME} PRIVATE $<BUILD_INTERFACE:shardwise_options>
    ${TEST_DEPENDS} GTest::gtest GTest::gtest_main)
  set_target_properties(${NAME} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/unittests")
  add_test(NAME ${NAME} COMMAND ${NAME})
endfunction()
