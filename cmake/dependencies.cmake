# SPDX-License-Identifier: Apache-2.0
#
# The libraries that dcgen stands on, as one target `dcgen_dependencies`; cmocka only for tests. Each row: pkg-config
# module, Debian package. All that are missing are named at once.
find_package(PkgConfig)
if(NOT PkgConfig_FOUND)
    message(FATAL_ERROR "pkg-config is missing. On Debian or Ubuntu: apt-get install pkg-config (or run script/bootstrap)")
endif()

set(dependency_rows
    "libconfig   libconfig-dev"
    "jansson     libjansson-dev"
    "hwloc       libhwloc-dev"
    "libxxhash   libxxhash-dev"
    "libmd       libmd-dev"
    "lapacke     liblapacke-dev"
    "openblas    libopenblas-dev")
if(BUILD_TESTING)
    list(APPEND dependency_rows "cmocka libcmocka-dev")
endif()

add_library(dcgen_dependencies INTERFACE)
set(missing_modules)
set(missing_packages)
foreach(row IN LISTS dependency_rows)
    separate_arguments(row UNIX_COMMAND "${row}")
    list(GET row 0 module)
    list(GET row 1 debian_package)
    pkg_check_modules(${module} QUIET IMPORTED_TARGET ${module})
    if(NOT ${module}_FOUND)
        list(APPEND missing_modules ${module})
        list(APPEND missing_packages ${debian_package})
    elseif(NOT module STREQUAL "cmocka")
        target_link_libraries(dcgen_dependencies INTERFACE PkgConfig::${module})
    endif()
endforeach()

if(missing_modules)
    list(JOIN missing_modules ", " module_text)
    list(JOIN missing_packages " " package_text)
    message(FATAL_ERROR "Libraries are missing: ${module_text}.\n"
        "On Debian or Ubuntu: apt-get install ${package_text} (or run script/bootstrap)")
endif()
