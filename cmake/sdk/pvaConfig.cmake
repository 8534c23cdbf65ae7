# find_package(pva): the library target `pva`, which reads profile.pop.
get_filename_component(_pva_sdk "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
if(NOT TARGET pva)
  add_library(pva SHARED IMPORTED)
  set_target_properties(pva PROPERTIES
    IMPORTED_LOCATION "${_pva_sdk}/lib/libpva.so"
    INTERFACE_INCLUDE_DIRECTORIES "${_pva_sdk}/include")
endif()
unset(_pva_sdk)
