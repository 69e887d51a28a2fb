# lacuna_tests(NAME SOURCES ... LINK ... [PRECOMPILED SET]): one GoogleTest program per room; each test case is a ctest entry.
include(GoogleTest)

function(lacuna_tests name)
    cmake_parse_arguments(T "" "PRECOMPILED" "SOURCES;LINK" ${ARGN})
    add_executable(lacuna_${name}_test ${T_SOURCES})
    target_link_libraries(lacuna_${name}_test PRIVATE lacuna_options lacuna_warnings ${T_LINK} GTest::gtest_main)
    # Tests judge results, not speed: at -O1 they compile in two thirds of the time.
    target_compile_options(lacuna_${name}_test PRIVATE $<$<CONFIG:Release>:-O1>)
    if(NOT T_PRECOMPILED)
        set(T_PRECOMPILED tests)
    endif()
    lacuna_precompile(lacuna_${name}_test ${T_PRECOMPILED})
    target_compile_definitions(lacuna_${name}_test PRIVATE
        LACUNA_GOLDEN_DIR="${CMAKE_SOURCE_DIR}/tests/golden" LACUNA_RESOURCE_DIR="${CMAKE_SOURCE_DIR}/resources"
        LACUNA_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
    gtest_discover_tests(lacuna_${name}_test TEST_PREFIX "${name}/" DISCOVERY_TIMEOUT 120
        PROPERTIES TIMEOUT 300 ENVIRONMENT "XDG_CACHE_HOME=${CMAKE_BINARY_DIR}/cache")
endfunction()
