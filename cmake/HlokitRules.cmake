# Rules for the rooms' CMakeLists.txt files.
#
#   hlokit_library(NAME SRCS a.cc ... DEPS hlokit::base absl::strings ...)
#     makes the library hlokit::NAME.
#   hlokit_test(NAME SRCS a_test.cc ... DEPS ... [DATA])
#     makes one test program of one or more *_test.cc files. With DATA, its tests
#     may read testdata/ (HLOKIT_SOURCE_DIR) and the optional ../shared corpora.
#   hlokit_tool(NAME SRCS main.cc DEPS ...)
#     makes build/<preset>/bin/NAME.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)

find_program(HLOKIT_CCACHE ccache)
if(HLOKIT_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # Relative paths let build folders share what they compiled.
  set(CMAKE_CXX_COMPILER_LAUNCHER
      ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${PROJECT_SOURCE_DIR}
      CCACHE_NOHASHDIR=1 ${HLOKIT_CCACHE})
endif()

add_library(hlokit_options INTERFACE)
target_include_directories(hlokit_options INTERFACE ${PROJECT_SOURCE_DIR})
target_compile_options(hlokit_options INTERFACE -Wall -Wextra
  -Wno-unused-parameter -Wno-missing-field-initializers
  # False alarms of g++ 12 over absl::optional.
  $<$<CONFIG:Release>:-Wno-maybe-uninitialized>)
if(HLOKIT_WERROR)
  target_compile_options(hlokit_options INTERFACE -Werror)
endif()
if(HLOKIT_SANITIZE)
  add_compile_options(-fsanitize=${HLOKIT_SANITIZE} -fno-sanitize-recover=all
    -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${HLOKIT_SANITIZE})
endif()

function(hlokit_library name)
  cmake_parse_arguments(arg "" "" "SRCS;DEPS" ${ARGN})
  add_library(hlokit_${name} STATIC ${arg_SRCS})
  add_library(hlokit::${name} ALIAS hlokit_${name})
  target_link_libraries(hlokit_${name} PUBLIC hlokit_options ${arg_DEPS})
endfunction()

function(hlokit_test name)
  if(NOT HLOKIT_TESTS)
    return()
  endif()
  cmake_parse_arguments(arg "" "" "SRCS;DEPS" ${ARGN})
  add_executable(${name} ${arg_SRCS})
  set_target_properties(${name} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
  target_compile_definitions(${name} PRIVATE
    HLOKIT_SOURCE_DIR="${PROJECT_SOURCE_DIR}"
    HLOKIT_BIN_DIR="${CMAKE_RUNTIME_OUTPUT_DIRECTORY}")
  target_link_libraries(${name} PRIVATE ${arg_DEPS} GTest::gmock GTest::gtest_main)
  add_test(NAME ${name} COMMAND ${name})
  set_tests_properties(${name} PROPERTIES TIMEOUT 1200)
endfunction()

function(hlokit_tool name)
  cmake_parse_arguments(arg "" "" "SRCS;DEPS" ${ARGN})
  string(REPLACE "-" "_" target ${name})
  add_executable(tool_${target} ${arg_SRCS})
  set_target_properties(tool_${target} PROPERTIES OUTPUT_NAME ${name})
  target_link_libraries(tool_${target} PRIVATE hlokit_options ${arg_DEPS})
endfunction()
