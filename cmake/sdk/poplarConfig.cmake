# find_package(poplar): the library target `poplar` and the codelet compiler `popc_bin`.
include(CMakeFindDependencyMacro)
get_filename_component(_poplar_sdk "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
find_dependency(pva HINTS "${_poplar_sdk}")

if(NOT TARGET poplar)
  add_library(poplar SHARED IMPORTED)
  set_target_properties(poplar PROPERTIES
    IMPORTED_LOCATION "${_poplar_sdk}/lib/libpoplar.so"
    INTERFACE_INCLUDE_DIRECTORIES "${_poplar_sdk}/include"
    INTERFACE_LINK_LIBRARIES pva)
endif()
if(NOT TARGET popc_bin)
  add_executable(popc_bin IMPORTED)
  set_target_properties(popc_bin PROPERTIES IMPORTED_LOCATION "${_poplar_sdk}/bin/popc")
endif()
unset(_poplar_sdk)
