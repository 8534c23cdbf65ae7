# The names of an SDK folder:  poplar_sdk-<os>-<version>/ with poplar-<os>-<version>/ and popart-<os>-<version>/ in it.
set(sdkVersion 3.3.0)   # the newest vendor release whose interface we follow; what find_package sees
set(sdkOs unknown)
if(EXISTS /etc/os-release)
  file(STRINGS /etc/os-release facts)
  foreach(fact ${facts})
    if(fact MATCHES "^(ID|VERSION_ID)=\"?([^\"]*)\"?$")
      set(os_${CMAKE_MATCH_1} ${CMAKE_MATCH_2})
    endif()
  endforeach()
  string(REPLACE "." "_" sdkOs "${os_ID}_${os_VERSION_ID}")
endif()
set(OPENIPU_SDK_NAME poplar_sdk-${sdkOs}-${sdkVersion}+openipu.${PROJECT_VERSION})
set(OPENIPU_POPLAR_DIR poplar-${sdkOs}-${sdkVersion}+openipu.${PROJECT_VERSION})
set(OPENIPU_POPART_DIR popart-${sdkOs}-${sdkVersion}+openipu.${PROJECT_VERSION})
set(OPENIPU_WHEEL_VERSION ${sdkVersion}+openipu.${PROJECT_VERSION})
# openipu_runpath(result up folders...): where an installed file finds libraries: in its own part of the SDK, whose folder is
# `up` from the file's, in Poplar's, and in these folders, seen from the file's; `bundled` is what ./run bundle puts there.
function(openipu_runpath result up)
  set(folders "")
  foreach(folder ${up}/lib ${up}/../${OPENIPU_POPLAR_DIR}/lib ${ARGN})
    string(APPEND folders ":$ORIGIN/${folder}:$ORIGIN/${folder}/bundled")
  endforeach()
  string(SUBSTRING "${folders}" 1 -1 folders)
  set(${result} ${folders} PARENT_SCOPE)
endfunction()

# openipu_install_library(library part): into the lib folder of that part
function(openipu_install_library library part)
  openipu_runpath(runpath ..)
  set_target_properties(${library} PROPERTIES INSTALL_RPATH "${runpath}")
  install(TARGETS ${library} LIBRARY DESTINATION ${part}/lib)
endfunction()

file(WRITE ${PROJECT_BINARY_DIR}/sdk/name ${OPENIPU_SDK_NAME})   # ./run install makes that folder
