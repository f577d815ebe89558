# SPDX-License-Identifier: Apache-2.0
#
# Run as a script: cmake -DREADELF=readelf -DPROGRAM=file -P check.cmake
# Fails when a program needs a shared library that is not glibc's, or a glibc younger than 2.36 (Debian 12, Ubuntu 22.10).
execute_process(COMMAND ${READELF} -dVW ${PROGRAM} OUTPUT_VARIABLE text RESULT_VARIABLE code)
string(REGEX REPLACE "[][]" "\"" text "${text}") # an open bracket would hold lists together
string(REGEX MATCHALL "Shared library: \"[^\"]+" needed "${text}")
if(code OR NOT needed)
    message(FATAL_ERROR "${READELF} does not say what ${PROGRAM} needs")
endif()
foreach(library IN LISTS needed)
    string(REGEX REPLACE "^.*\"" "" library "${library}")
    if(NOT library MATCHES "^(libc|libm|libdl|libpthread|librt|ld-linux[-a-z0-9_]*)\\.so\\.[0-9]+$")
        message(FATAL_ERROR "${PROGRAM} needs ${library}: it is not portable")
    endif()
endforeach()
string(REGEX MATCHALL "GLIBC_2\\.[0-9]+" versions "${text}")
foreach(version IN LISTS versions)
    string(REPLACE "GLIBC_2." "" minor "${version}")
    if(minor GREATER 36)
        message(FATAL_ERROR "${PROGRAM} needs glibc 2.${minor}: it is not portable")
    endif()
endforeach()
