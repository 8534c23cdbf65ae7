# find_package(libpvti): the library target `pvti`, which traces host programs.
get_filename_component(_pvti_sdk "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
if(NOT TARGET pvti)
  add_library(pvti SHARED IMPORTED)
  set_target_properties(pvti PROPERTIES
    IMPORTED_LOCATION "${_pvti_sdk}/lib/libpvti.so"
    INTERFACE_INCLUDE_DIRECTORIES "${_pvti_sdk}/include")
endif()
unset(_pvti_sdk)
