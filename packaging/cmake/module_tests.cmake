# lacuna_tests(NAME SOURCES ... LINK ... [PRECOMPILED SET] [APART ...]): one GoogleTest program per module; each test case is a
# ctest entry. APART: sources that are never united, because their names clash with those of a header.
include(GoogleTest)

# lacuna_compile_as_test(TARGET LINK...): the speed of tests does not matter; at -O1 they compile in two thirds of the time.
function(lacuna_compile_as_test target)
    target_link_libraries(${target} PRIVATE lacuna_options lacuna_warnings ${ARGN} GTest::gtest_main)
    target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
    target_compile_definitions(${target} PRIVATE
        LACUNA_GOLDEN_DIR="${CMAKE_SOURCE_DIR}/tests/golden" LACUNA_RESOURCE_DIR="${CMAKE_SOURCE_DIR}/resources"
        LACUNA_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
endfunction()

# Qt Test defines a macro with the folder of each program, and precompiled headers require identical macros, so those of
# qt_tests are made without Qt Test.
function(lacuna_make_qt_tests_headers)
    if(TARGET lacuna_qt_tests_headers)
        return()
    endif()
    file(WRITE ${CMAKE_BINARY_DIR}/qt_tests_headers.cpp "")
    add_library(lacuna_qt_tests_headers OBJECT EXCLUDE_FROM_ALL ${CMAKE_BINARY_DIR}/qt_tests_headers.cpp)
    lacuna_compile_as_test(lacuna_qt_tests_headers lacuna_app_state fmt::fmt)
    lacuna_precompile(lacuna_qt_tests_headers qt_tests)
endfunction()

function(lacuna_tests name)
    cmake_parse_arguments(T "" "PRECOMPILED" "SOURCES;LINK;APART" ${ARGN})
    add_executable(lacuna_${name}_test ${T_SOURCES})
    lacuna_compile_as_test(lacuna_${name}_test ${T_LINK})
    if(NOT T_PRECOMPILED)
        set(T_PRECOMPILED tests)
    elseif(T_PRECOMPILED STREQUAL qt_tests)
        lacuna_make_qt_tests_headers()
    endif()
    lacuna_precompile(lacuna_${name}_test ${T_PRECOMPILED})
    if(NOT T_PRECOMPILED STREQUAL "qt_tests") # the others parse Qt's headers ahead and are few
        set_source_files_properties(${T_APART} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
        lacuna_unite_later(lacuna_${name}_test)
    endif()
    gtest_discover_tests(lacuna_${name}_test TEST_PREFIX "${name}/" DISCOVERY_TIMEOUT 120
        PROPERTIES TIMEOUT 300 ENVIRONMENT "XDG_CACHE_HOME=${CMAKE_BINARY_DIR}/cache")
endfunction()
