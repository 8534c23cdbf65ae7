# find_package(popart): models; the target is popart. popart-only, which libraries of custom operators
# ask for (COMPONENTS popart-only), is the same.
include(CMakeFindDependencyMacro)
get_filename_component(_popart_sdk "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
find_dependency(poplibs HINTS "${_popart_sdk}/../@OPENIPU_POPLAR_DIR@")

if(NOT TARGET popart)
  add_library(popart SHARED IMPORTED)
  set_target_properties(popart PROPERTIES
    IMPORTED_LOCATION "${_popart_sdk}/lib/libpopart.so"
    INTERFACE_INCLUDE_DIRECTORIES "${_popart_sdk}/include"
    INTERFACE_LINK_LIBRARIES "popnn;poplin;poprand;popops;poputil;poplar")
endif()
if(NOT TARGET popart-only)
  add_library(popart-only INTERFACE IMPORTED)
  set_target_properties(popart-only PROPERTIES INTERFACE_LINK_LIBRARIES popart)
endif()
unset(_popart_sdk)
