# openipu_python_package(name [WHEEL summary] [DISTRIBUTION name version] [NEEDS packages...] [MODULE path] [SOURCES files...] [HEADERS folder] [LINK libraries...] [STUBS modules...])
# The Python package of the folder <name>: its .py files, sub-packages too, are copied to build/<preset>/python/<name>.
# MODULE: what <name>/src/*.cpp and SOURCES become, a path below the python folder; its target is <name>_core. A package
# without that folder has no module. WHEEL: also a wheel at
# the top of the SDK, for virtual environments, with this line as its summary; DISTRIBUTION: what pip
# calls it, and its version; NEEDS: what pip must have for it. STUBS: modules that get a .pyi, which is written by looking at them.
# HEADERS: a folder of headers beside those that all modules have. The SDK has the sources of modules too, below openipu/source,
# with modules.json: `python -m openipu build` makes them for other Pythons.
# What is to be built is added to the property OPENIPU_PYTHON of the build, and lines of modules.json to OPENIPU_MODULES.
set(OPENIPU_PYTHON_ROOT ${CMAKE_BINARY_DIR}/python)

set(OPENIPU_PYTHON_SOURCE ${OPENIPU_POPART_DIR}/python/openipu/source)

function(openipu_python_module package path libraries headers)
  cmake_path(GET path PARENT_PATH folder)
  cmake_path(GET path FILENAME file)
  set(beside .)
  if(folder)
    set(beside ..)
  endif()
  openipu_runpath(runpath ${beside}/.. ${beside}/openipu/lib)  # the last: in the wheel `openipu`
  pybind11_add_module(${package}_core MODULE NO_EXTRAS ${ARGN})
  target_include_directories(${package}_core PRIVATE ${package}/src)
  target_compile_options(${package}_core PRIVATE -O1 -g0)  # it only passes calls on
  target_link_libraries(${package}_core PRIVATE ${libraries})
  target_link_options(${package}_core PRIVATE LINKER:--as-needed)  # what our libraries stand on is their affair
  set_target_properties(${package}_core PROPERTIES OUTPUT_NAME ${file} INSTALL_RPATH "${runpath}"
                        LIBRARY_OUTPUT_DIRECTORY ${OPENIPU_PYTHON_ROOT}/${folder})
  install(TARGETS ${package}_core LIBRARY DESTINATION ${OPENIPU_POPART_DIR}/python/${folder})

  install(FILES ${ARGN} DESTINATION ${OPENIPU_PYTHON_SOURCE}/${package})
  install(DIRECTORY ${package}/src/ DESTINATION ${OPENIPU_PYTHON_SOURCE}/${package} FILES_MATCHING PATTERN "*.hpp")
  set(named "")
  if(headers)
    set(named ${package}_headers)
    install(DIRECTORY ${headers}/ DESTINATION ${OPENIPU_PYTHON_SOURCE}/${named} FILES_MATCHING PATTERN "*.hpp" PATTERN "*.def")
  endif()
  list(TRANSFORM libraries REPLACE "(.+)" "\"$<TARGET_LINKER_FILE_BASE_NAME:\\1>\"")
  list(JOIN libraries ", " libraries)
  set_property(GLOBAL APPEND PROPERTY OPENIPU_MODULES
               "{\"package\": \"${package}\", \"path\": \"${path}\", \"headers\": \"${named}\", \"libraries\": [${libraries}]}")
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
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "MODULE;WHEEL;HEADERS" "SOURCES;LINK;STUBS;DISTRIBUTION;NEEDS")
  file(GLOB sources CONFIGURE_DEPENDS ${package}/src/*.cpp)
  openipu_python_copies(${package} made)
  if(arg_MODULE AND sources)
    openipu_python_module(${package} ${arg_MODULE} "${arg_LINK}" "${arg_HEADERS}" ${sources} ${arg_SOURCES})
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
    if(arg_MODULE)
      list(APPEND arg_NEEDS openipu==${PROJECT_VERSION})
    endif()
    list(TRANSFORM arg_NEEDS REPLACE "(.+)" "\"\\1\"" OUTPUT_VARIABLE needs)
    list(JOIN needs " " needs)
    install(CODE "execute_process(COMMAND_ERROR_IS_FATAL ANY COMMAND \"${Python_EXECUTABLE}\"
      \"${CMAKE_CURRENT_SOURCE_DIR}/tools/wheel.py\" ${package} ${version} \"${arg_WHEEL}\"
      \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${OPENIPU_POPART_DIR}/python\" \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}\"
      ${distribution} ${needs})")
  endif()
endfunction()
