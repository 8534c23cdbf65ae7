# find_package(gcl): the library target `gcl`, collectives between replicas.
include(CMakeFindDependencyMacro)
get_filename_component(_gcl_sdk "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
find_dependency(poplibs HINTS "${_gcl_sdk}")

if(NOT TARGET gcl)
  add_library(gcl SHARED IMPORTED)
  set_target_properties(gcl PROPERTIES
    IMPORTED_LOCATION "${_gcl_sdk}/lib/libgcl.so"
    INTERFACE_INCLUDE_DIRECTORIES "${_gcl_sdk}/include"
    INTERFACE_LINK_LIBRARIES popops)
endif()
unset(_gcl_sdk)
