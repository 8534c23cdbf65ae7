# openipu_frontend(target namespace): the library of a front end's conversion, operators -> a model, of the sources in
# src/. src/ops: one operator or family a file; the folder is the registry: Norms.cpp defines void addNorms(Registry &)
# in that namespace, and core/Call.hpp declares Registry with a static all().
function(openipu_frontend target namespace)
  openipu_names(converters src/ops)
  set(declarations "")
  set(calls "")
  foreach(stem ${converters})
    string(APPEND declarations "void add${stem}(Registry &);\n")
    string(APPEND calls "    add${stem}(all);\n")
  endforeach()
  file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/registry.cpp @ONLY CONTENT
"// Written by the build from the names of the files in src/ops.
#include \"core/Call.hpp\"
namespace @namespace@ {
@declarations@
const Registry &Registry::all() {
  static const Registry registry = [] {
    Registry all;
@calls@
    return all;
  }();
  return registry;
}
} // namespace @namespace@
")
  openipu_sources(sources src)
  add_library(${target} SHARED ${sources} ${CMAKE_CURRENT_BINARY_DIR}/registry.cpp)  # modules of all Pythons share it
  set_target_properties(${target} PROPERTIES DEFINE_SYMBOL "")
  target_include_directories(${target} PUBLIC src)
  target_compile_options(${target} PRIVATE -O1)  # it builds models, once
  target_link_libraries(${target} PUBLIC frontendcommon)
  openipu_install_library(${target} ${OPENIPU_POPART_DIR})
endfunction()
