# `cmake --install BUILD --prefix P` makes P an SDK folder that can be moved anywhere; cmake/Sdk.cmake has the names.
#   enable.sh   version.json   LICENSE   wheels of the Python packages
#   poplar-<os>-<version>/   enable.sh  bin/  include/  lib/lib<vendor's name>.so  lib/cmake/  lib/pkgconfig/  python/
#                            share/openipu (pages and examples)  share/man  share/bash-completion
#   popart-<os>-<version>/   enable.sh  include/  lib/  python/
# The static layers (base, arch) are inside the shared libraries and are not installed.
include(CMakePackageConfigHelpers)
set(sdkLibraries poplar pva pvti popart popdist gcipuinfo_lib)
set(sdkOperators poputil popfloat popops poprand poplin popnn popsparse gcl)
set(sdkPackages poplar pva libpvti poplibs gcl popart)

# part NAME RESULT: the folder of a library, package or Python package
function(openipu_part name result)
  set(${result} ${OPENIPU_POPLAR_DIR} PARENT_SCOPE)
  if(name STREQUAL "popart")
    set(${result} ${OPENIPU_POPART_DIR} PARENT_SCOPE)
  endif()
endfunction()

foreach(library ${sdkLibraries} ${sdkOperators})
  openipu_part(${library} part)
  openipu_install_library(${library} ${part})
  get_target_property(folder ${library} SOURCE_DIR)
  install(DIRECTORY ${folder}/include/ DESTINATION ${part}/include)
endforeach()

if(TARGET popdist_mpi)  # loaded by libpoplar, which lies beside it
  openipu_install_library(popdist_mpi ${OPENIPU_POPLAR_DIR})
endif()

install(DIRECTORY ${PROJECT_BINARY_DIR}/popart/include/ DESTINATION ${OPENIPU_POPART_DIR}/include)   # the Builder's generated methods

foreach(package ${sdkPackages})
  openipu_part(${package} part)
  set(packageDir ${PROJECT_BINARY_DIR}/sdk/${package})
  configure_file(cmake/sdk/${package}Config.cmake ${packageDir}/${package}Config.cmake @ONLY)
  write_basic_package_version_file(${packageDir}/${package}ConfigVersion.cmake
                                   VERSION ${sdkVersion} COMPATIBILITY AnyNewerVersion)
  install(DIRECTORY ${packageDir}/ DESTINATION ${part}/lib/cmake/${package})
endforeach()

# pkg-config: poplar, poplibs and popart; each finds its folder from where the file lies.
function(openipu_pkgconfig name part text requires)
  set(libs "-L\${libdir}")
  foreach(library ${ARGN})
    string(APPEND libs " -l${library}")
  endforeach()
  file(WRITE ${PROJECT_BINARY_DIR}/sdk/${name}.pc
       "prefix=\${pcfiledir}/../..\nlibdir=\${prefix}/lib\nincludedir=\${prefix}/include\n\nName: ${name}\n"
       "Description: ${text}\nVersion: ${sdkVersion}\nRequires: ${requires}\nCflags: -I\${includedir}\nLibs: ${libs}\n")
  install(FILES ${PROJECT_BINARY_DIR}/sdk/${name}.pc DESTINATION ${part}/lib/pkgconfig)
endfunction()
openipu_pkgconfig(poplar ${OPENIPU_POPLAR_DIR} "Graphs for simulated IPUs (OpenIPU)" "" poplar pva)
openipu_pkgconfig(poplibs ${OPENIPU_POPLAR_DIR} "Operators for simulated IPUs (OpenIPU)" poplar ${sdkOperators})
openipu_pkgconfig(popart ${OPENIPU_POPART_DIR} "Models for simulated IPUs (OpenIPU)" "poplar poplibs" popart)

# Every program below tools/ belongs to the SDK, and so do popvision and the demo, with a man page made from its --help and its options as completions.
set(sdkTools "")
function(openipu_install_tools dir)
  openipu_runpath(runpath .. ../../${OPENIPU_POPART_DIR}/lib)
  get_property(targets DIRECTORY ${dir} PROPERTY BUILDSYSTEM_TARGETS)
  foreach(target ${targets})
    get_target_property(kind ${target} TYPE)
    if(kind STREQUAL "EXECUTABLE" AND NOT target MATCHES "_test$|^fuzz-")
      set_target_properties(${target} PROPERTIES INSTALL_RPATH "${runpath}")
      install(TARGETS ${target} RUNTIME DESTINATION ${OPENIPU_POPLAR_DIR}/bin)
      set_property(GLOBAL APPEND PROPERTY OPENIPU_TOOLS ${target})
    endif()
  endforeach()
  get_property(children DIRECTORY ${dir} PROPERTY SUBDIRECTORIES)
  foreach(child ${children})
    openipu_install_tools(${child})
  endforeach()
endfunction()
openipu_install_tools(${PROJECT_SOURCE_DIR}/tools)
openipu_install_tools(${PROJECT_SOURCE_DIR}/popvision)
openipu_install_tools(${PROJECT_SOURCE_DIR}/examples/demo)
get_property(sdkTools GLOBAL PROPERTY OPENIPU_TOOLS)
set(pages ${PROJECT_BINARY_DIR}/sdk/pages)
set(toolFiles "")
foreach(tool ${sdkTools})
  list(APPEND toolFiles $<TARGET_FILE:${tool}>)
endforeach()
add_custom_command(OUTPUT ${pages}/openipu DEPENDS ${sdkTools} ${PROJECT_SOURCE_DIR}/cmake/sdk/pages.py
                   COMMAND ${OPENIPU_PYTHON_EXECUTABLE} ${PROJECT_SOURCE_DIR}/cmake/sdk/pages.py ${pages} ${PROJECT_VERSION} ${toolFiles})
add_custom_target(sdk-pages ALL DEPENDS ${pages}/openipu)
install(FILES ${pages}/openipu DESTINATION ${OPENIPU_POPLAR_DIR}/share/bash-completion)
install(DIRECTORY ${pages}/man1 DESTINATION ${OPENIPU_POPLAR_DIR}/share/man)

foreach(part ${OPENIPU_POPLAR_DIR} ${OPENIPU_POPART_DIR})
  configure_file(cmake/sdk/enable.sh ${PROJECT_BINARY_DIR}/sdk/${part}/enable.sh @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/sdk/${part}/enable.sh DESTINATION ${part})
endforeach()
configure_file(cmake/sdk/enable_all.sh ${PROJECT_BINARY_DIR}/sdk/enable.sh @ONLY)
file(WRITE ${PROJECT_BINARY_DIR}/sdk/version.json
     "{\n  \"name\": \"OpenIPU\",\n  \"version\": \"${PROJECT_VERSION}\",\n  \"interface\": \"${sdkVersion}\",\n  \"os\": \"${sdkOs}\"\n}\n")
install(FILES ${PROJECT_BINARY_DIR}/sdk/enable.sh ${PROJECT_BINARY_DIR}/sdk/version.json LICENSE DESTINATION .)

# The pages and examples stand to one another as here, so that links hold; the examples have a build file of their own.
set(share ${OPENIPU_POPLAR_DIR}/share/openipu)
install(FILES README.md ARCHITECTURE.md CHANGELOG.md CONTRIBUTING.md LICENSE DESTINATION ${share})
install(DIRECTORY docs/ DESTINATION ${share}/docs PATTERN "*.awk" EXCLUDE PATTERN "*.sh" EXCLUDE PATTERN __pycache__ EXCLUDE)
# Lessons are scripts; here each is a notebook too.
set(notebooks ${PROJECT_BINARY_DIR}/sdk/notebooks)
file(GLOB lessons CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/docs/lessons/[0-9]*.py)
add_custom_command(OUTPUT ${notebooks}/made DEPENDS ${lessons} ${PROJECT_SOURCE_DIR}/cmake/docs/lessons.py
                   COMMAND ${CMAKE_COMMAND} -E make_directory ${notebooks}
                   COMMAND ${OPENIPU_PYTHON_EXECUTABLE} -B ${PROJECT_SOURCE_DIR}/cmake/docs/lessons.py notebook ${notebooks}
                   COMMAND ${CMAKE_COMMAND} -E touch ${notebooks}/made)
add_custom_target(sdk-notebooks ALL DEPENDS ${notebooks}/made)
install(DIRECTORY ${notebooks}/ DESTINATION ${share}/docs/lessons FILES_MATCHING PATTERN "*.ipynb")
install(DIRECTORY examples/ DESTINATION ${share}/examples
        PATTERN CMakeLists.txt EXCLUDE PATTERN __pycache__ EXCLUDE PATTERN demo EXCLUDE)
install(DIRECTORY garden/ DESTINATION ${share}/garden PATTERN __pycache__ EXCLUDE)
install(FILES cmake/sdk/examples/CMakeLists.txt cmake/sdk/examples/README.md DESTINATION ${share}/examples)

# `cpack` in a build folder: a Debian package of the same, below /opt.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME openipu)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_CONTACT "The OpenIPU project")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "IPU software stack on a simulated IPU")
set(CPACK_PACKAGING_INSTALL_PREFIX /opt/${OPENIPU_SDK_NAME})
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION "Poplar, PopLibs, PopART and PopTorch compatible libraries and the tools of a
 simulated machine, below /opt. To use them: . /opt/${OPENIPU_SDK_NAME}/enable.sh")
set(CPACK_STRIP_FILES ON)
configure_file(cmake/sdk/deb/prerm ${PROJECT_BINARY_DIR}/sdk/deb/prerm @ONLY)
file(CHMOD ${PROJECT_BINARY_DIR}/sdk/deb/prerm PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE
     WORLD_READ WORLD_EXECUTE)
set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA ${PROJECT_BINARY_DIR}/sdk/deb/prerm)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${PROJECT_BINARY_DIR}/lib)
set(CPACK_DEBIAN_PACKAGE_DEPENDS "g++, libprotobuf-dev, libonnx-dev, python3 (>= 3.11), python3 (<< 3.12)")   # codelets are compiled; popart's headers include these
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "python3-numpy, python3-torch, python3-torchvision, python3-tqdm, cmake, openmpi-bin")
include(CPack)
