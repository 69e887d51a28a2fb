# lacuna_unite(TARGET): compiles several of the target's sources at a time, grouped by unite.pl. That shortens a clean build
# and lengthens a rebuild after a change, so packaging/setup.sh enables it only if nothing was built before. Sources with
# their own compile options are never united; sources that share such options are a part of their module (module.cmake).
option(LACUNA_UNITE "Compile several sources of a module at a time" OFF)
set(LACUNA_UNIT_BYTES 100000 CACHE STRING "Bytes of sources that are compiled at a time with LACUNA_UNITE")
if(LACUNA_UNITE)
    find_program(LACUNA_PERL perl REQUIRED DOC "Groups the sources that are compiled together")
endif()

function(lacuna_unite target)
    if(NOT LACUNA_UNITE)
        return()
    endif()
    get_target_property(listed ${target} SOURCES)
    set(sources "")
    set(paths "")
    foreach(source IN LISTS listed)
        cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} OUTPUT_VARIABLE path)
        get_source_file_property(options ${source} COMPILE_OPTIONS)
        get_source_file_property(definitions ${source} COMPILE_DEFINITIONS)
        if(source MATCHES "\\.cpp$" AND EXISTS ${path} AND NOT options AND NOT definitions)
            list(APPEND sources ${source})
            list(APPEND paths ${path})
        endif()
    endforeach()
    if(NOT sources)
        return()
    endif()
    execute_process(COMMAND ${LACUNA_PERL} ${CMAKE_SOURCE_DIR}/packaging/cmake/unite.pl ${LACUNA_UNIT_BYTES} ${paths}
        OUTPUT_VARIABLE units OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
    string(REPLACE "\n" ";" units "${units}")
    foreach(source unit IN ZIP_LISTS sources units)
        set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${unit})
    endforeach()
    get_target_property(moc ${target} AUTOMOC)
    if(moc) # What moc writes reads all headers of the module; so does the last unit, which takes it along.
        set(written ${CMAKE_CURRENT_BINARY_DIR}/${target}_autogen/mocs_compilation.cpp)
        set(with_unit ${CMAKE_CURRENT_BINARY_DIR}/${target}_mocs.cpp)
        file(CONFIGURE OUTPUT ${with_unit} CONTENT "#include \"${written}\"\n")
        list(GET units -1 unit)
        target_sources(${target} PRIVATE ${with_unit})
        set_source_files_properties(${with_unit} PROPERTIES UNITY_GROUP ${unit} SKIP_AUTOGEN ON)
        set_source_files_properties(${written} PROPERTIES HEADER_FILE_ONLY ON)
    endif()
    if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
        # A header may forward-declare a type whose members have types private to its source; only one source defines it.
        # GCC's warnings about lengths after inlining depend on what is compiled together and are sometimes wrong.
        # With a later garbage collection the compiler takes 100 MB more and a tenth less time.
        target_compile_options(${target} PRIVATE -Wno-subobject-linkage -Wno-stringop-overflow -Wno-stringop-overread
            -Wno-array-bounds -Wno-restrict --param=ggc-min-heapsize=300000)
    endif()
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
endfunction()

# lacuna_unite_later(TARGET): the same at the end of the folder's file, when all sources and their options are known.
function(lacuna_unite_later target)
    cmake_language(EVAL CODE "cmake_language(DEFER CALL lacuna_unite ${target})")
endfunction()
