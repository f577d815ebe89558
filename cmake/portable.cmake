# SPDX-License-Identifier: Apache-2.0
#
# dcgen_dependencies for programs that run on machines without these libraries: every one is linked as an archive, with
# the run-time libraries of the compilers; only glibc's own libraries stay shared. Each row: archive, header, Debian
# package. LAPACK comes with OpenBLAS; libudev, which hwloc wants and which has no archive, is portable/no_udev.c.
set(portable_rows
    "config     libconfig.h libconfig-dev"
    "jansson    jansson.h   libjansson-dev"
    "hwloc      hwloc.h     libhwloc-dev"
    "xxhash     xxhash.h    libxxhash-dev"
    "md         sha2.h      libmd-dev"
    "lapacke    lapacke.h   liblapacke-dev"
    "openblas   cblas.h     libopenblas-dev"
    "gfortran   -           gfortran"
    "quadmath   -           gfortran")

# Where the C compiler's own run-time libraries lie; Fortran's lie beside them.
execute_process(COMMAND ${CMAKE_C_COMPILER} -print-file-name=libgfortran.a OUTPUT_VARIABLE gfortran_archive
                OUTPUT_STRIP_TRAILING_WHITESPACE)
get_filename_component(compiler_dir "${gfortran_archive}" DIRECTORY)

add_library(dcgen_dependencies INTERFACE)
set(missing_packages)
set(portable_archives)
foreach(row IN LISTS portable_rows)
    separate_arguments(row UNIX_COMMAND "${row}")
    list(GET row 0 name)
    list(GET row 1 header)
    list(GET row 2 debian_package)
    find_library(PORTABLE_${name} NAMES lib${name}.a HINTS ${compiler_dir} PATH_SUFFIXES openblas openblas-pthread openblas-serial)
    set(include_dir)
    if(NOT header STREQUAL "-")
        find_path(PORTABLE_${name}_INCLUDE ${header} PATH_SUFFIXES openblas openblas-pthread)
        set(include_dir ${PORTABLE_${name}_INCLUDE})
    endif()
    if(NOT PORTABLE_${name} OR (NOT header STREQUAL "-" AND NOT include_dir))
        list(APPEND missing_packages ${debian_package})
    else()
        list(APPEND portable_archives ${PORTABLE_${name}})
        target_include_directories(dcgen_dependencies INTERFACE ${include_dir})
    endif()
endforeach()
if(missing_packages)
    list(REMOVE_DUPLICATES missing_packages)
    list(JOIN missing_packages " " package_text)
    message(FATAL_ERROR "A portable build needs archives of its libraries.\nOn Debian or Ubuntu: apt-get install ${package_text}")
endif()

add_library(dcgen_no_udev STATIC ${CMAKE_CURRENT_LIST_DIR}/portable/no_udev.c)
target_link_libraries(dcgen_dependencies INTERFACE ${portable_archives} dcgen_no_udev -static-libgcc m pthread ${CMAKE_DL_LIBS})
# The build tree may be moved: nothing is looked for where it was.
set(CMAKE_SKIP_RPATH ON)

# Every program is looked at when it is linked.
function(dcgen_check_portable)
    get_property(targets DIRECTORY PROPERTY BUILDSYSTEM_TARGETS)
    foreach(target IN LISTS targets)
        get_target_property(type ${target} TYPE)
        if(type STREQUAL "EXECUTABLE")
            add_custom_command(TARGET ${target} POST_BUILD VERBATIM
                COMMAND ${CMAKE_COMMAND} -DREADELF=${CMAKE_READELF} -DPROGRAM=$<TARGET_FILE:${target}>
                        -P ${PROJECT_SOURCE_DIR}/cmake/portable/check.cmake)
        endif()
    endforeach()
endfunction()
cmake_language(DEFER CALL dcgen_check_portable)
