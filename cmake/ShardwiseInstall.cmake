# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What `cmake --install` installs: headers, the layers as static libraries, the tools, and the package
# that find_package(Shardwise) finds. Two sets of targets: those of the layers without MLIR, which a
# consumer gets alone with `COMPONENTS Runtime`, and those of the compiler.

include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

get_property(libraryLayers GLOBAL PROPERTY SHARDWISE_LIBRARY_LAYERS)
get_property(compilerLayers GLOBAL PROPERTY SHARDWISE_COMPILER_LAYERS)
list(PREPEND libraryLayers Support)
if(SHARDWISE_ENABLE_MLIR)
  install(TARGETS shardwise shardwise-opt shardwise-lsp-server
    RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
endif()

function(shardwise_install_layers set)
  set(targets "")
  foreach(layer IN LISTS ARGN)
    set_target_properties(Shardwise${layer} PROPERTIES EXPORT_NAME ${layer})
    list(APPEND targets Shardwise${layer})
  endforeach()
  if(set STREQUAL "Compiler")
    # What the layers link of MLIR, by the names of its own package.
    list(APPEND targets shardwise_mlir)
  endif()
  install(TARGETS ${targets} EXPORT Shardwise${set}Targets
    ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}"
    INCLUDES DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
  install(EXPORT Shardwise${set}Targets NAMESPACE Shardwise::
    DESTINATION "${CMAKE_INSTALL_LIBDIR}/cmake/Shardwise")
endfunction()

shardwise_install_layers(Library ${libraryLayers})
if(compilerLayers)
  shardwise_install_layers(Compiler ${compilerLayers})
endif()

# Public headers, and what TableGen made for them.
get_property(publicHeaders GLOBAL PROPERTY SHARDWISE_PUBLIC_HEADERS)
foreach(header IN LISTS publicHeaders)
  cmake_path(GET header PARENT_PATH folder)
  install(FILES "${PROJECT_SOURCE_DIR}/${header}"
    DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/${folder}")
  file(STRINGS "${PROJECT_SOURCE_DIR}/${header}" generated REGEX "^#include \".*\\.h\\.inc\"")
  foreach(line IN LISTS generated)
    string(REGEX REPLACE "^#include \"(.*)\"" "\\1" included "${line}")
    install(FILES "${PROJECT_BINARY_DIR}/${included}"
      DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/${folder}")
  endforeach()
endforeach()

# The definitions of the dialects, for TableGen files that use their attributes and traits.
if(compilerLayers)
  install(DIRECTORY "${PROJECT_SOURCE_DIR}/shardwise/dialect"
    DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/shardwise" FILES_MATCHING PATTERN "*.td")
endif()

configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/ShardwiseConfig.cmake.in"
  "${PROJECT_BINARY_DIR}/ShardwiseConfig.cmake"
  INSTALL_DESTINATION "${CMAKE_INSTALL_LIBDIR}/cmake/Shardwise")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/ShardwiseConfigVersion.cmake"
  COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/ShardwiseConfig.cmake"
  "${PROJECT_BINARY_DIR}/ShardwiseConfigVersion.cmake"
  DESTINATION "${CMAKE_INSTALL_LIBDIR}/cmake/Shardwise")
