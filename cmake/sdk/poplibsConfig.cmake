# find_package(poplibs): the operator libraries, each a target with the name of its library.
include(CMakeFindDependencyMacro)
get_filename_component(_poplibs_sdk "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
find_dependency(poplar HINTS "${_poplibs_sdk}")

set(_poplibs_below poplar)
foreach(_poplibs_library poputil popfloat popops poprand poplin popnn popsparse)
  if(NOT TARGET ${_poplibs_library})
    add_library(${_poplibs_library} SHARED IMPORTED)
    set_target_properties(${_poplibs_library} PROPERTIES
      IMPORTED_LOCATION "${_poplibs_sdk}/lib/lib${_poplibs_library}.so"
      INTERFACE_INCLUDE_DIRECTORIES "${_poplibs_sdk}/include"
      INTERFACE_LINK_LIBRARIES "${_poplibs_below}")
  endif()
  list(APPEND _poplibs_below ${_poplibs_library})   # headers of one include those of the others
endforeach()
unset(_poplibs_sdk)
unset(_poplibs_below)
