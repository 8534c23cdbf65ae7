# `cmake --install BUILD --prefix P` makes P an SDK folder that can be moved anywhere:
#   enable.sh   include/   lib/lib<vendor's name>.so   lib/cmake/<package>/   bin/popc ...
# The static layers (base, arch) are inside the shared libraries and are not installed.
include(CMakePackageConfigHelpers)
set(sdkLibraries poplar pva)
set(sdkVersion 3.3.0)   # the newest vendor release whose interface we follow; what find_package sees

foreach(library ${sdkLibraries})
  set_target_properties(${library} PROPERTIES INSTALL_RPATH "$ORIGIN")
  install(TARGETS ${library} LIBRARY DESTINATION lib)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/${library}/include/ DESTINATION include)

  set(packageDir ${PROJECT_BINARY_DIR}/sdk/${library})
  configure_file(cmake/sdk/${library}Config.cmake ${packageDir}/${library}Config.cmake COPYONLY)
  write_basic_package_version_file(${packageDir}/${library}ConfigVersion.cmake
                                   VERSION ${sdkVersion} COMPATIBILITY AnyNewerVersion)
  install(DIRECTORY ${packageDir}/ DESTINATION lib/cmake/${library})
endforeach()

# Every program below tools/ belongs to the SDK.
function(openipu_install_tools dir)
  get_property(targets DIRECTORY ${dir} PROPERTY BUILDSYSTEM_TARGETS)
  foreach(target ${targets})
    get_target_property(kind ${target} TYPE)
    if(kind STREQUAL "EXECUTABLE" AND NOT target MATCHES "_test$|^fuzz-")
      set_target_properties(${target} PROPERTIES INSTALL_RPATH "$ORIGIN/../lib")
      install(TARGETS ${target} RUNTIME DESTINATION bin)
    endif()
  endforeach()
  get_property(children DIRECTORY ${dir} PROPERTY SUBDIRECTORIES)
  foreach(child ${children})
    openipu_install_tools(${child})
  endforeach()
endfunction()
openipu_install_tools(${PROJECT_SOURCE_DIR}/tools)

install(FILES cmake/sdk/enable.sh LICENSE DESTINATION .)
