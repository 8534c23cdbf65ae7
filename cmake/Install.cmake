# `cmake --install BUILD --prefix P` makes P an SDK folder that can be moved anywhere:
#   enable.sh   include/   lib/lib<vendor's name>.so   lib/cmake/<package>/   bin/popc ...
#   share/openipu/   README.md, ARCHITECTURE.md, docs/, examples/
# The static layers (base, arch) are inside the shared libraries and are not installed.
include(CMakePackageConfigHelpers)
set(sdkLibraries poplar pva pvti popart)
set(sdkOperators poputil popfloat popops poprand poplin popnn popsparse gcl)
set(sdkPackages poplar pva libpvti poplibs gcl popart)
set(sdkVersion 3.3.0)   # the newest vendor release whose interface we follow; what find_package sees

foreach(library ${sdkLibraries} ${sdkOperators})
  set_target_properties(${library} PROPERTIES INSTALL_RPATH "$ORIGIN")
  install(TARGETS ${library} LIBRARY DESTINATION lib)
  get_target_property(folder ${library} SOURCE_DIR)
  install(DIRECTORY ${folder}/include/ DESTINATION include)
endforeach()

install(DIRECTORY ${PROJECT_BINARY_DIR}/popart/include/ DESTINATION include)   # the Builder's generated methods

foreach(package ${sdkPackages})
  set(packageDir ${PROJECT_BINARY_DIR}/sdk/${package})
  configure_file(cmake/sdk/${package}Config.cmake ${packageDir}/${package}Config.cmake COPYONLY)
  write_basic_package_version_file(${packageDir}/${package}ConfigVersion.cmake
                                   VERSION ${sdkVersion} COMPATIBILITY AnyNewerVersion)
  install(DIRECTORY ${packageDir}/ DESTINATION lib/cmake/${package})
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

# The pages and examples stand to one another as here, so that links hold; the examples have a build file of their own.
install(FILES README.md ARCHITECTURE.md CONTRIBUTING.md LICENSE DESTINATION share/openipu)
install(DIRECTORY docs/ DESTINATION share/openipu/docs PATTERN "*.awk" EXCLUDE)
install(DIRECTORY examples/ DESTINATION share/openipu/examples
        PATTERN CMakeLists.txt EXCLUDE PATTERN __pycache__ EXCLUDE PATTERN demo EXCLUDE)
install(FILES cmake/sdk/examples/CMakeLists.txt cmake/sdk/examples/README.md DESTINATION share/openipu/examples)
