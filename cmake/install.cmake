# SPDX-License-Identifier: Apache-2.0
#
# What `cmake --install` and `cpack -G DEB` lay down: bin/dcgen, libexec/dcgen/ (runners), share/dcgen/ (templates and
# specs, found by dcgen relative to itself), the man page and the documents.
install(DIRECTORY templates specs DESTINATION ${CMAKE_INSTALL_DATADIR}/dcgen)
install(DIRECTORY docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES README.md LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} OPTIONAL)
install(FILES man/dcgen.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 OPTIONAL)

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
