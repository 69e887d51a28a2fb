# lacuna_translations(TARGET): compiles the catalogues of resources/translations with lrelease and adds them to TARGET as
# resources, with the list of the engine's texts that app/state/engine/engine_text.h looks up.
get_target_property(qmake Qt6::qmake IMPORTED_LOCATION)
get_filename_component(qt_tools ${qmake} DIRECTORY)
find_program(LACUNA_LRELEASE lrelease HINTS ${qt_tools} /usr/lib/qt6/bin REQUIRED
    DOC "Compiles the catalogues (Debian: qt6-l10n-tools)")

function(lacuna_translations target)
    set(from ${CMAKE_SOURCE_DIR}/resources/translations)
    set(to ${CMAKE_BINARY_DIR}/translations)
    set(files ${to}/engine_texts.txt)
    configure_file(${from}/engine_texts.txt ${to}/engine_texts.txt COPYONLY)
    foreach(language en de zh_CN)
        set(catalogue ${to}/lacuna_${language}.qm)
        add_custom_command(OUTPUT ${catalogue}
            COMMAND ${LACUNA_LRELEASE} -silent ${from}/lacuna_${language}.ts -qm ${catalogue}
            DEPENDS ${from}/lacuna_${language}.ts VERBATIM)
        list(APPEND files ${catalogue})
    endforeach()
    set_source_files_properties(${files} PROPERTIES GENERATED ON)
    qt_add_resources(${target} translations PREFIX /translations BASE ${to} FILES ${files})
endfunction()
