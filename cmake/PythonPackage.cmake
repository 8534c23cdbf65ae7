# openipu_python_package(name [WHEEL summary] [DISTRIBUTION name version] [NEEDS packages...] [MODULE path] [SOURCES files...] [LINK libraries...] [STUBS modules...])
# The Python package of the folder <name>: its .py files, sub-packages too, are copied to build/<preset>/python/<name>.
# MODULE: what <name>/src/*.cpp and SOURCES become, a path below the python folder; its target is <name>_core. A package
# without that folder has no module. WHEEL: also a wheel at
# the top of the SDK, for virtual environments, with this line as its summary; DISTRIBUTION: what pip
# calls it, and its version; NEEDS: what pip must have for it. STUBS: modules that get a .pyi, which is written by looking at them.
# What is to be built is added to the property OPENIPU_PYTHON of the build.
set(OPENIPU_PYTHON_ROOT ${CMAKE_BINARY_DIR}/python)

function(openipu_python_module package path)
  cmake_path(GET path PARENT_PATH folder)
  cmake_path(GET path FILENAME file)
  set(up "../")
  if(folder)
    set(up "../../")
  endif()
  pybind11_add_module(${package}_core MODULE NO_EXTRAS ${ARGN})
  target_include_directories(${package}_core PRIVATE ${package}/src)
  target_compile_options(${package}_core PRIVATE -O1 -g0)  # it only passes calls on
  set_target_properties(${package}_core PROPERTIES OUTPUT_NAME ${file} INSTALL_RPATH "$ORIGIN/${up}lib:$ORIGIN/${up}../${OPENIPU_POPLAR_DIR}/lib"
                        LIBRARY_OUTPUT_DIRECTORY ${OPENIPU_PYTHON_ROOT}/${folder})
  install(TARGETS ${package}_core LIBRARY DESTINATION ${OPENIPU_POPART_DIR}/python/${folder})
endfunction()

function(openipu_python_copies package result)
  file(GLOB_RECURSE files CONFIGURE_DEPENDS RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} ${package}/*.py ${package}/py.typed)
  set(copies "")
  foreach(file ${files})
    add_custom_command(OUTPUT ${OPENIPU_PYTHON_ROOT}/${file} DEPENDS ${file} COMMAND ${CMAKE_COMMAND} -E copy
                       ${CMAKE_CURRENT_SOURCE_DIR}/${file} ${OPENIPU_PYTHON_ROOT}/${file})
    list(APPEND copies ${OPENIPU_PYTHON_ROOT}/${file})
  endforeach()
  # What has moved or is gone must not be imported any more.
  file(GLOB_RECURSE old RELATIVE ${OPENIPU_PYTHON_ROOT} ${OPENIPU_PYTHON_ROOT}/${package}/*.py)
  list(REMOVE_ITEM old ${files})
  foreach(file ${old})
    file(REMOVE ${OPENIPU_PYTHON_ROOT}/${file})
  endforeach()
  install(DIRECTORY ${package} DESTINATION ${OPENIPU_POPART_DIR}/python FILES_MATCHING PATTERN "*.py" PATTERN py.typed
          PATTERN __pycache__ EXCLUDE PATTERN src EXCLUDE)
  set(${result} ${copies} PARENT_SCOPE)
endfunction()

function(openipu_python_stubs result)
  set(stubs "")
  foreach(module ${ARGN})
    string(REPLACE "." "/" file ${module})
    if(EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/${file}/__init__.py)
      string(APPEND file "/__init__")
    endif()
    list(APPEND stubs ${OPENIPU_PYTHON_ROOT}/${file}.pyi)
    cmake_path(GET file PARENT_PATH folder)
    install(FILES ${OPENIPU_PYTHON_ROOT}/${file}.pyi DESTINATION ${OPENIPU_POPART_DIR}/python/${folder})
  endforeach()
  set(${result} ${stubs} PARENT_SCOPE)
endfunction()

function(openipu_python_package package)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "MODULE;WHEEL" "SOURCES;LINK;STUBS;DISTRIBUTION;NEEDS")
  file(GLOB sources CONFIGURE_DEPENDS ${package}/src/*.cpp)
  openipu_python_copies(${package} made)
  if(arg_MODULE AND sources)
    openipu_python_module(${package} ${arg_MODULE} ${sources} ${arg_SOURCES})
    target_link_libraries(${package}_core PRIVATE ${arg_LINK})
    list(APPEND made ${package}_core)
  endif()
  set_property(GLOBAL APPEND PROPERTY OPENIPU_PYTHON ${made})
  if(arg_STUBS)
    openipu_python_stubs(stubs ${arg_STUBS})
    set(write_stubs ${CMAKE_CURRENT_SOURCE_DIR}/tools/stubs.py)
    get_property(before GLOBAL PROPERTY OPENIPU_PYTHON)  # popart_core tells what functions of C++ look like
    add_custom_command(OUTPUT ${stubs} DEPENDS ${before} ${write_stubs}
                       COMMAND ${CMAKE_COMMAND} -E env PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=${OPENIPU_PYTHON_ROOT}
                               ${Python_EXECUTABLE} ${write_stubs} ${OPENIPU_PYTHON_ROOT} ${arg_STUBS})
    set_property(GLOBAL APPEND PROPERTY OPENIPU_PYTHON ${stubs})
  endif()
  if(arg_WHEEL)
    set(version ${OPENIPU_WHEEL_VERSION})
    set(distribution ${package})
    if(arg_DISTRIBUTION)
      list(GET arg_DISTRIBUTION 0 distribution)
      list(GET arg_DISTRIBUTION 1 version)
    endif()
    list(TRANSFORM arg_NEEDS REPLACE "(.+)" "\"\\1\"" OUTPUT_VARIABLE needs)
    list(JOIN needs " " needs)
    install(CODE "execute_process(COMMAND_ERROR_IS_FATAL ANY COMMAND \"${Python_EXECUTABLE}\"
      \"${CMAKE_CURRENT_SOURCE_DIR}/tools/wheel.py\" ${package} ${version} \"${arg_WHEEL}\"
      \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${OPENIPU_POPART_DIR}/python\" \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}\"
      ${distribution} ${needs})")
  endif()
endfunction()
