# What is installed where, and the Debian package of it (packaging/deb). Nothing here is part of a plain build.
set(CMAKE_SKIP_INSTALL_ALL_DEPENDENCY ON) # packaging/deb has built what is installed; cpack shall not build the tests
include(GNUInstallDirs)

# What the programs say of their own command lines: manual pages and completions.
set(pages ${CMAKE_BINARY_DIR}/pages)
add_custom_command(
    OUTPUT ${pages}/lacuna.1.gz ${pages}/bash/lacuna ${pages}/zsh/_lacuna
        ${pages}/lacuna-bench.1.gz ${pages}/bash/lacuna-bench ${pages}/zsh/_lacuna-bench
    COMMAND ${CMAKE_COMMAND} -E make_directory ${pages}/bash ${pages}/zsh
    COMMAND sh -c "\"$<TARGET_FILE:lacuna-headless>\" manual | gzip -9n > ${pages}/lacuna.1.gz"
    COMMAND sh -c "\"$<TARGET_FILE:lacuna-headless>\" completion bash > ${pages}/bash/lacuna"
    COMMAND sh -c "\"$<TARGET_FILE:lacuna-headless>\" completion zsh > ${pages}/zsh/_lacuna"
    COMMAND sh -c "\"$<TARGET_FILE:lacuna-bench>\" manual | gzip -9n > ${pages}/lacuna-bench.1.gz"
    COMMAND sh -c "\"$<TARGET_FILE:lacuna-bench>\" completion bash > ${pages}/bash/lacuna-bench"
    COMMAND sh -c "\"$<TARGET_FILE:lacuna-bench>\" completion zsh > ${pages}/zsh/_lacuna-bench"
    COMMAND sh -c "gzip -9nc ${CMAKE_SOURCE_DIR}/packaging/linux/changelog > ${pages}/changelog.gz"
    DEPENDS lacuna-headless lacuna-bench ${CMAKE_SOURCE_DIR}/packaging/linux/changelog
    VERBATIM)
add_custom_target(lacuna_pages DEPENDS ${pages}/lacuna.1.gz)
add_custom_target(lacuna_package_parts DEPENDS lacuna lacuna-headless lacuna-bench lacuna_pages)

install(TARGETS lacuna lacuna-headless lacuna-bench RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
set(models ${CMAKE_SOURCE_DIR}/resources/models)
install(FILES ${models}/${LACUNA_BUNDLED_MODEL} ${models}/smollm2-135m-lacuna-q4_1.heads.json
        ${models}/smollm2-135m-lacuna-q4_1.precision.json
        ${models}/smollm2-135m-lacuna-q4_1.formats.quality.json
        ${models}/smollm2-135m-lacuna-q4_1.surrogate.safetensors ${models}/smollm2-135m-lacuna.md
        ${models}/policies.json
    DESTINATION ${CMAKE_INSTALL_DATADIR}/lacuna/models)
install(DIRECTORY ${CMAKE_SOURCE_DIR}/resources/texts DESTINATION ${CMAKE_INSTALL_DATADIR}/lacuna)

set(linux ${CMAKE_SOURCE_DIR}/packaging/linux)
install(FILES ${linux}/org.lacuna.Lacuna.desktop DESTINATION ${CMAKE_INSTALL_DATADIR}/applications)
install(FILES ${linux}/org.lacuna.Lacuna.metainfo.xml DESTINATION ${CMAKE_INSTALL_DATADIR}/metainfo)
install(FILES ${linux}/org.lacuna.Lacuna.mime.xml DESTINATION ${CMAKE_INSTALL_DATADIR}/mime/packages)
foreach(size 16 24 32 48 64 128 256)
    install(FILES ${CMAKE_SOURCE_DIR}/resources/icons/lacuna-${size}.png RENAME lacuna.png
        DESTINATION ${CMAKE_INSTALL_DATADIR}/icons/hicolor/${size}x${size}/apps)
endforeach()
install(FILES ${CMAKE_SOURCE_DIR}/resources/icons/lacuna.svg
    DESTINATION ${CMAKE_INSTALL_DATADIR}/icons/hicolor/scalable/apps)
install(FILES ${pages}/lacuna.1.gz ${pages}/lacuna-bench.1.gz DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES ${pages}/lacuna.1.gz DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 RENAME lacuna-headless.1.gz)
install(FILES ${pages}/bash/lacuna ${pages}/bash/lacuna-bench DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
install(FILES ${pages}/zsh/_lacuna ${pages}/zsh/_lacuna-bench DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions)
install(FILES ${linux}/copyright ${pages}/changelog.gz DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/lacuna)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME lacuna)
set(CPACK_PACKAGE_VENDOR Lacuna)
set(CPACK_PACKAGE_CONTACT "Lacuna maintainers <maintainers@lacuna.invalid>")
set(CPACK_PACKAGE_DIRECTORY ${CMAKE_BINARY_DIR}/package)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
    OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_DEPENDS "qt6-qpa-plugins") # the platforms a window opens on; no library names them
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "fonts-dejavu-core, fonts-wqy-microhei | fonts-noto-cjk, qt6-translations-l10n")
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_COMPRESSION_TYPE gzip) # most of it is a model, which nothing makes smaller
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION
    "chat with a local language model and see what its memory costs
Lacuna contains a complete inference engine for large language models and runs
them on this computer, without a network. It shows what the KV cache of a
conversation costs: live size, time of compactions, the achieved ratio,
and which tokens were kept, merged or evicted. Sliders for compression take
effect while text streams; a report can be replayed on another machine.
.
A small model comes with the program; other GGUF and safetensors models of the
supported families can be loaded. The command serve answers the API of OpenAI.")
include(CPack)
