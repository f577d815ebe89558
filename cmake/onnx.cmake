# SPDX-License-Identifier: Apache-2.0
#
# The schema of ONNX files as C: protoc-c makes it in the build folder from the system's onnx.proto (Debian: libonnx-dev). Newer schemas
# have more fields, so dcgen uses those of ONNX 1.12 alone, and finds later ones by their number. Only the room gen/import, and its tests,
# see these headers; what is generated is compiled without our warnings.
find_program(PROTOC_C protoc-c)
find_file(ONNX_PROTO NAMES onnx.proto onnx-ml.proto PATH_SUFFIXES onnx)
if(DCGEN_PORTABLE)
    find_library(PORTABLE_protobuf-c NAMES libprotobuf-c.a)
    find_path(PORTABLE_protobuf-c_INCLUDE protobuf-c/protobuf-c.h)
    set(protobuf_c ${PORTABLE_protobuf-c})
    set(protobuf_c_include ${PORTABLE_protobuf-c_INCLUDE})
else()
    pkg_check_modules(libprotobuf-c QUIET IMPORTED_TARGET libprotobuf-c)
    if(libprotobuf-c_FOUND)
        set(protobuf_c PkgConfig::libprotobuf-c)
    endif()
endif()
if(NOT PROTOC_C OR NOT ONNX_PROTO OR NOT protobuf_c)
    message(FATAL_ERROR "What reads ONNX files is missing: protoc-c, libprotobuf-c or onnx/onnx.proto.\n"
        "On Debian or Ubuntu: apt-get install protobuf-c-compiler libprotobuf-c-dev libonnx-dev (or run script/bootstrap)")
endif()

file(STRINGS ${ONNX_PROTO} has_functions REGEX "FunctionProto +functions *=")
if(NOT has_functions)
    message(FATAL_ERROR "${ONNX_PROTO} is too old: the schema of ONNX 1.11 or later is needed")
endif()

set(onnx_dir ${PROJECT_BINARY_DIR}/onnx)
configure_file(${ONNX_PROTO} ${onnx_dir}/onnx.proto COPYONLY) # whatever the system's is called
add_custom_command(
    OUTPUT ${onnx_dir}/onnx.pb-c.c ${onnx_dir}/onnx.pb-c.h
    COMMAND ${PROTOC_C} --c_out=${onnx_dir} -I${onnx_dir} ${onnx_dir}/onnx.proto
    DEPENDS ${onnx_dir}/onnx.proto
    COMMENT "Making C of ONNX's schema" VERBATIM)
add_library(dcgen_onnx_schema STATIC EXCLUDE_FROM_ALL ${onnx_dir}/onnx.pb-c.c ${onnx_dir}/onnx.pb-c.h)
target_compile_options(dcgen_onnx_schema PRIVATE -w)
target_include_directories(dcgen_onnx_schema SYSTEM PUBLIC ${onnx_dir} ${protobuf_c_include})
target_link_libraries(dcgen_onnx_schema PUBLIC ${protobuf_c})
