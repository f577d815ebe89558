# SPDX-License-Identifier: Apache-2.0
#
# The rooms of dcgen's own sources. A room is a folder and a library of its own. It sees the headers of the rooms that it names behind
# USES, and of those that these use; a header of any other room is not found when it includes one. Each row uses only rows above it, so
# arrows between rooms go one way (tests/rooms/test_rooms.sh draws them).
#
# The rows stand in the order in which a workload passes through them: what it asks for, what it runs on, kernels as text, measurements,
# the choice, the package, the report, what commands print, the driver, the commands.

# A folder of headers, found under its own path as seen from the root, and nothing else of the tree.
function(dcgen_show_headers target scope folder)
    string(REPLACE "/" "_" name ${folder})
    set(view ${CMAKE_BINARY_DIR}/rooms/${name})
    get_filename_component(parent ${view}/${folder} DIRECTORY)
    file(MAKE_DIRECTORY ${parent})
    file(CREATE_LINK ${PROJECT_SOURCE_DIR}/${folder} ${view}/${folder} SYMBOLIC)
    target_include_directories(${target} ${scope} ${view})
endfunction()

add_library(room_templates INTERFACE)
dcgen_show_headers(room_templates INTERFACE templates)

# dcgen_room(FOLDER USES FOLDER...): a library called room_<FOLDER>, with _ for /.
function(dcgen_room folder)
    cmake_parse_arguments(ROOM "" "" USES ${ARGN})
    string(REPLACE "/" "_" name room_${folder})
    list(TRANSFORM ROOM_USES REPLACE "/" "_" OUTPUT_VARIABLE uses)
    list(TRANSFORM uses PREPEND room_)
    file(GLOB sources CONFIGURE_DEPENDS ${folder}/*.[ch])
    list(FILTER sources EXCLUDE REGEX "/(main|runner_[^/]*)\\.c$") # programs
    add_library(${name} STATIC EXCLUDE_FROM_ALL ${sources}) # what is built asks for it
    set_target_properties(${name} PROPERTIES LINKER_LANGUAGE C)
    dcgen_show_headers(${name} PUBLIC ${folder})
    target_link_libraries(${name} PUBLIC ${uses} dcgen_options dcgen_dependencies m)
endfunction()

dcgen_room(gen/base)
dcgen_room(model USES gen/base)
dcgen_room(gen/spec USES gen/base templates)
dcgen_room(gen/graph USES gen/spec)
dcgen_room(gen/target USES gen/base)
dcgen_room(gen/template USES gen/spec gen/target)
dcgen_room(gen/unit USES gen/template)
dcgen_room(search/record USES gen/unit)
dcgen_room(search/space USES search/record model)
dcgen_room(search/build USES search/record)
dcgen_room(search/measure USES search/space search/build)
dcgen_room(search/choose USES search/space)
dcgen_room(search/loop USES search/measure search/choose)
dcgen_room(gen/package USES search/choose search/build gen/graph)
dcgen_room(gen/report USES search/choose)
dcgen_room(gen/print USES gen/package gen/report search/loop)
dcgen_room(gen/driver USES gen/print)
dcgen_room(gen/import USES gen/graph)
target_link_libraries(room_gen_import PRIVATE dcgen_onnx_schema) # nothing else sees it
dcgen_room(gen/command USES gen/driver gen/import)
dcgen_room(search/runner USES search/record)

# Everything but the runners, and the whole tree of headers: for tests and benchmarks. With the address sanitizer its tests need less.
add_library(dcgen_core INTERFACE)
if(DCGEN_SANITIZE MATCHES "address")
    target_link_libraries(dcgen_core INTERFACE room_gen_package room_search_measure room_gen_import)
else()
    target_link_libraries(dcgen_core INTERFACE room_gen_command room_gen_import)
endif()
target_include_directories(dcgen_core INTERFACE ${PROJECT_SOURCE_DIR})
