# SPDX-License-Identifier: Apache-2.0
#
# What `cmake --install` and `cpack -G DEB` lay down: bin/dcgen, libexec/dcgen/ (runners), share/dcgen/ (templates and
# specs, found by dcgen relative to itself), the man page, completions for bash and zsh, the documents, and what
# find_package(dcgen) loads.
install(DIRECTORY templates specs DESTINATION ${CMAKE_INSTALL_DATADIR}/dcgen)
install(DIRECTORY docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES README.md CHANGELOG.md LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} OPTIONAL)

# What find_package(dcgen) loads, from an installation and from the build folder (by dcgen_DIR or CMAKE_PREFIX_PATH). An installed one is in
# lib/ on every system, and for every architecture of the product: it is about a program, not a library. The prefix may move.
include(CMakePackageConfigHelpers)
set(dcgen_config_dir lib/cmake/dcgen)
# dcgen_configure(FILE FOLDER OPTION...): FILE, to be loaded from FOLDER.
function(dcgen_configure file folder)
    configure_package_config_file(cmake/dcgen-config.cmake.in ${file} INSTALL_DESTINATION ${folder} NO_CHECK_REQUIRED_COMPONENTS_MACRO
                                  PATH_VARS dcgen_program dcgen_templates dcgen_module ${ARGN})
endfunction()
set(dcgen_program ${CMAKE_INSTALL_BINDIR}/dcgen)
set(dcgen_templates ${CMAKE_INSTALL_DATADIR}/dcgen/templates)
set(dcgen_module ${dcgen_config_dir}/dcgen-generate.cmake)
dcgen_configure(${PROJECT_BINARY_DIR}/install/dcgen-config.cmake ${dcgen_config_dir})
set(dcgen_program dcgen)
set(dcgen_templates ${PROJECT_SOURCE_DIR}/templates)
set(dcgen_module ${PROJECT_SOURCE_DIR}/cmake/dcgen-generate.cmake)
dcgen_configure(${PROJECT_BINARY_DIR}/dcgen-config.cmake ${PROJECT_BINARY_DIR} INSTALL_PREFIX ${PROJECT_BINARY_DIR})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/dcgen-config-version.cmake COMPATIBILITY SameMinorVersion ARCH_INDEPENDENT)
install(FILES ${PROJECT_BINARY_DIR}/install/dcgen-config.cmake ${PROJECT_BINARY_DIR}/dcgen-config-version.cmake cmake/dcgen-generate.cmake
        DESTINATION ${dcgen_config_dir})

install(FILES man/dcgen.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 OPTIONAL)
install(FILES completion/dcgen.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME dcgen)
install(FILES completion/_dcgen DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)

set(CPACK_PACKAGE_NAME dcgen)
set(CPACK_PACKAGE_VENDOR "dcgen")
set(CPACK_PACKAGE_CONTACT "dcgen maintainers <dcgen@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "generator of fast kernels for dynamic shapes")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_GENERATOR DEB)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_DEPENDS "gcc")
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "cmake, gnuplot-nox")
include(CPack)
