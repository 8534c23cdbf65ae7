# How everything is compiled, and the two helpers that declare a layer and its tests.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE RelWithDebInfo)
endif()

option(OPENIPU_WERROR "Warnings are errors" OFF)
option(OPENIPU_SANITIZE "Address and undefined-behaviour sanitizers" OFF)
option(OPENIPU_SANITIZE_POPART "The same for PopART alone: what it stands on stays fast" OFF)
option(OPENIPU_FUZZ "Build the libFuzzer targets (clang)" OFF)
# Debian's python3, not the first on PATH: torch and numpy are there.
find_program(OPENIPU_PYTHON_EXECUTABLE python3 PATHS /usr/bin NO_DEFAULT_PATH)
find_program(OPENIPU_PYTHON_EXECUTABLE python3 REQUIRED DOC "The Python that the build runs and makes modules for")
include(CTest)
find_package(Threads REQUIRED)
find_package(nlohmann_json REQUIRED)

add_compile_options(-Wall -Wextra)
if(OPENIPU_WERROR)
  add_compile_options(-Werror)
endif()
add_compile_options($<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>)  # g++ 12 sees overlaps in std::string's operator+ that are not there
add_compile_options($<$<CXX_COMPILER_ID:GNU>:--param=ggc-min-heapsize=500000>)  # fewer collections: a tenth less time
if(OPENIPU_SANITIZE)
  add_compile_options(-fsanitize=address,undefined -fno-omit-frame-pointer)
  add_link_options(-fsanitize=address,undefined)
endif()
if(OPENIPU_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link,address,undefined -fno-omit-frame-pointer)
  add_link_options(-fsanitize=address,undefined)
endif()
find_program(CCACHE ccache)
if(CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE})
endif()
if(CCACHE AND CMAKE_UNITY_BUILD)  # no path of this checkout reaches an object, so that checkouts share them
  set(CMAKE_CXX_COMPILER_LAUNCHER env CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_NOHASHDIR=1 ${CCACHE})
  add_compile_options(-fmacro-prefix-map=${CMAKE_SOURCE_DIR}/= -fdebug-prefix-map=${CMAKE_SOURCE_DIR}/=)
endif()

# Every .cpp below DIR except the tests that stand beside their files.
function(openipu_sources out dir)
  file(GLOB_RECURSE files CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${dir}/*.cpp)
  list(FILTER files EXCLUDE REGEX "_test\\.cpp$")
  set(${out} ${files} PARENT_SCOPE)
endfunction()

# The names, without .cpp, of the sources right in DIR: a folder that is a registry, from which the build writes a table.
function(openipu_names out dir)
  file(GLOB files CONFIGURE_DEPENDS RELATIVE ${CMAKE_CURRENT_SOURCE_DIR}/${dir} ${CMAKE_CURRENT_SOURCE_DIR}/${dir}/*.cpp)
  list(FILTER files EXCLUDE REGEX "_test\\.cpp$")
  list(TRANSFORM files REPLACE "\\.cpp$" "")
  set(${out} ${files} PARENT_SCOPE)
endfunction()

# Every TEST of a program is a ctest case. Listing them starts the program, which on a cold and busy machine under
# the sanitizers takes longer than the five seconds that ctest would give it.
function(openipu_discover name)
  include(GoogleTest)
  gtest_discover_tests(${name} DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 120 PROPERTIES TIMEOUT 300 LABELS quick)
endfunction()

# One test program per layer from all *_test.cpp below the current folder.
function(openipu_tests name)
  if(NOT BUILD_TESTING)
    return()
  endif()
  find_package(GTest REQUIRED)
  file(GLOB_RECURSE files CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*_test.cpp)
  if(NOT files)
    return()
  endif()
  add_executable(${name} ${files})
  target_compile_options(${name} PRIVATE -O0 -g1)  # half the time of a build; what they test is optimised
  target_link_libraries(${name} PRIVATE ${ARGN} GTest::gtest_main)
  openipu_discover(${name})
endfunction()
