# Rules for the rooms' CMakeLists.txt files.
#
#   hlokit_library(NAME SRCS a.cc ... DEPS hlokit::base absl::strings ...)
#     makes the library hlokit::NAME.
#   hlokit_test(NAME SRCS a_test.cc ... DEPS ...)
#     makes one test program of one or more *_test.cc files. It finds testdata/
#     and the optional corpora with base/test_corpora.h.
#   hlokit_tool(NAME SRCS main.cc DEPS ...)
#     makes build/<preset>/bin/NAME.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
# For libraries and programs alike, so that they can share precompiled headers.
# -pthread too: a precompiled header is only taken with the same macros.
add_compile_options(-fPIC -pthread)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)

find_program(HLOKIT_CCACHE ccache)
if(HLOKIT_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # Relative paths let build folders share what they compiled.
  set(CMAKE_CXX_COMPILER_LAUNCHER
      ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${PROJECT_SOURCE_DIR}
      CCACHE_NOHASHDIR=1 CCACHE_PCH_EXTSUM=1
      CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
      ${HLOKIT_CCACHE})
endif()

add_library(hlokit_options INTERFACE)
target_include_directories(hlokit_options INTERFACE ${PROJECT_SOURCE_DIR})
target_compile_options(hlokit_options INTERFACE -Wall -Wextra
  -Wno-unused-parameter -Wno-missing-field-initializers
  # False alarms of g++ 12 over std::string and absl::InlinedVector.
  $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized;-Wno-restrict;-Wno-array-bounds>
  $<$<AND:$<CXX_COMPILER_ID:GNU>,$<CONFIG:Release>>:-Wno-stringop-overflow>)
if(HLOKIT_WERROR)
  target_compile_options(hlokit_options INTERFACE -Werror)
endif()
if(HLOKIT_SANITIZE)
  add_compile_options(-fsanitize=${HLOKIT_SANITIZE} -fno-sanitize-recover=all
    -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${HLOKIT_SANITIZE})
endif()
if(HLOKIT_FUZZERS)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()

# Debian's CMake files name shared libraries only; the archives lie beside them.
# The dynamic linker would look for some thirty files of abseil's at each start.
function(hlokit_link_archives)
  get_property(targets DIRECTORY ${PROJECT_SOURCE_DIR} PROPERTY IMPORTED_TARGETS)
  foreach(target IN LISTS targets)
    get_target_property(file ${target} IMPORTED_LOCATION_NONE)
    if(NOT target MATCHES "^absl::" OR NOT file)
      continue()
    endif()
    string(REGEX REPLACE "\\.so[.0-9]*$" ".a" archive ${file})
    if(EXISTS ${archive})
      set_target_properties(${target} PROPERTIES
        IMPORTED_LOCATION_NONE ${archive} IMPORTED_SONAME_NONE "")
    endif()
  endforeach()
  foreach(library IN LISTS re2_LINK_LIBRARIES)
    string(REGEX REPLACE "\\.so$" ".a" archive ${library})
    if(EXISTS ${archive})
      list(APPEND re2_archives ${archive})
    else()
      list(APPEND re2_archives ${library})
    endif()
  endforeach()
  set_target_properties(PkgConfig::re2 PROPERTIES
    INTERFACE_LINK_LIBRARIES "${re2_archives}")
endfunction()

# Reading the same library headers again is most of the work of compiling.
function(hlokit_precompile target header)
  add_library(${target} STATIC ${PROJECT_SOURCE_DIR}/cmake/precompiled.cc)
  target_link_libraries(${target} PRIVATE hlokit_options ${ARGN})
  target_precompile_headers(${target} PRIVATE ${header})
  # ccache asks this instead of the compiled header, which differs every time.
  file(SHA256 ${header} sum)
  file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/CMakeFiles/${target}.dir/cmake_pch.hxx.gch.sum
    "${sum} ${CMAKE_CXX_COMPILER_VERSION} ${CMAKE_CXX_FLAGS} ${CMAKE_BUILD_TYPE}")
endfunction()
hlokit_precompile(hlokit_pch ${PROJECT_SOURCE_DIR}/cmake/precompiled.h)
if(HLOKIT_TESTS)
  find_package(GTest REQUIRED)
  hlokit_precompile(hlokit_test_pch
    ${PROJECT_SOURCE_DIR}/cmake/precompiled_test.h GTest::gmock)
endif()

# Several sources at a time: headers and templates are read once for all of
# them. Names of namespace scope are thus shared in a room, also where they are
# in a namespace without a name. Tests are compiled one by one.
function(hlokit_library name)
  cmake_parse_arguments(arg "" "" "SRCS;DEPS" ${ARGN})
  add_library(hlokit_${name} STATIC ${arg_SRCS})
  add_library(hlokit::${name} ALIAS hlokit_${name})
  target_link_libraries(hlokit_${name} PUBLIC hlokit_options ${arg_DEPS})
  target_precompile_headers(hlokit_${name} REUSE_FROM hlokit_pch)
  set_target_properties(hlokit_${name} PROPERTIES
    UNITY_BUILD ${HLOKIT_UNITY} UNITY_BUILD_BATCH_SIZE 8)
endfunction()

function(hlokit_test name)
  if(NOT HLOKIT_TESTS)
    return()
  endif()
  cmake_parse_arguments(arg "" "" "SRCS;DEPS" ${ARGN})
  add_executable(${name} ${arg_SRCS})
  set_target_properties(${name} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
  target_link_libraries(${name} PRIVATE ${arg_DEPS} hlokit::test_corpora
    GTest::gmock GTest::gtest_main)
  target_precompile_headers(${name} REUSE_FROM hlokit_test_pch)
  add_test(NAME ${name} COMMAND ${name})
  set_tests_properties(${name} PROPERTIES TIMEOUT 1200)
endfunction()

function(hlokit_tool name)
  cmake_parse_arguments(arg "" "" "SRCS;DEPS" ${ARGN})
  string(REPLACE "-" "_" target ${name})
  add_executable(tool_${target} ${arg_SRCS})
  set_target_properties(tool_${target} PROPERTIES OUTPUT_NAME ${name})
  target_link_libraries(tool_${target} PRIVATE hlokit_options ${arg_DEPS})
  target_precompile_headers(tool_${target} REUSE_FROM hlokit_pch)
endfunction()
