# lacuna_module(NAME SOURCES ... [PUBLIC ...] [PRIVATE ...] [PRECOMPILED SET] [APART]): one static library per module. SET is
# one of precompiled.cmake, or none; the default is standard. APART: sources are never united (unite.cmake).
# Includes are rooted at the repository, so every dependency is visible in an include line.
add_library(lacuna_warnings INTERFACE)
target_compile_options(lacuna_warnings INTERFACE
    -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wnon-virtual-dtor -Wold-style-cast
    -Woverloaded-virtual -Wdouble-promotion -Wformat=2
    $<$<CXX_COMPILER_ID:GNU>:-Wduplicated-cond -Wlogical-op -Wsuggest-override>
    $<$<BOOL:${LACUNA_WARNINGS_AS_ERRORS}>:-Werror>)

add_library(lacuna_options INTERFACE)
target_include_directories(lacuna_options INTERFACE ${CMAKE_SOURCE_DIR})
target_compile_definitions(lacuna_options INTERFACE _GLIBCXX_ASSERTIONS)
target_compile_options(lacuna_options INTERFACE -fstack-protector-strong)
if(LACUNA_SANITIZE)
    target_compile_options(lacuna_options INTERFACE -fsanitize=${LACUNA_SANITIZE} -fno-omit-frame-pointer)
    target_link_options(lacuna_options INTERFACE -fsanitize=${LACUNA_SANITIZE})
endif()

function(lacuna_module name)
    cmake_parse_arguments(MODULE "APART" "PRECOMPILED" "SOURCES;PUBLIC;PRIVATE" ${ARGN})
    add_library(lacuna_${name} STATIC ${MODULE_SOURCES})
    target_link_libraries(lacuna_${name} PUBLIC lacuna_options ${MODULE_PUBLIC} PRIVATE lacuna_warnings ${MODULE_PRIVATE})
    if(NOT MODULE_PRECOMPILED)
        set(MODULE_PRECOMPILED standard)
    endif()
    lacuna_precompile(lacuna_${name} ${MODULE_PRECOMPILED})
    if(NOT MODULE_APART)
        lacuna_unite_later(lacuna_${name})
    endif()
endfunction()

# lacuna_module_part(NAME PART SOURCES ... [OPTIONS ...]): more sources of the module NAME, compiled separately with their own
# options. Call it after the module's libraries, definitions and options are set.
function(lacuna_module_part name part)
    cmake_parse_arguments(PART "" "" "SOURCES;OPTIONS" ${ARGN})
    set(target lacuna_${name}_${part})
    add_library(${target} OBJECT ${PART_SOURCES})
    get_target_property(libraries lacuna_${name} LINK_LIBRARIES)
    get_target_property(definitions lacuna_${name} COMPILE_DEFINITIONS)
    get_target_property(options lacuna_${name} COMPILE_OPTIONS)
    target_link_libraries(${target} PRIVATE ${libraries})
    if(definitions)
        target_compile_definitions(${target} PRIVATE ${definitions})
    endif()
    if(NOT options)
        set(options "")
    endif()
    target_compile_options(${target} PRIVATE ${options} ${PART_OPTIONS})
    target_sources(lacuna_${name} PRIVATE $<TARGET_OBJECTS:${target}>)
    lacuna_unite_later(${target})
endfunction()
