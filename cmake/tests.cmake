# SPDX-License-Identifier: Apache-2.0
#
# One CTest test a file, named after its area and itself. The area is a folder, or a room within one: tests/gen/base/test_text.c is
# gen_base_test_text, and a test of the program gen_base_tests, which has all C files of its folder (tests/test.h). tests/<area>/test_<x>.sh is
# <area>_test_<x>_sh, and runs with DCGEN, SRC and BIN set. Each runs in tests/<area> and carries its area as label. (cmake/fuzz.cmake has the
# fuzzers.) Exit code 77 means skipped. A test that leaves something in the temporary folder fails (tests/run_clean.sh). A file may ask for more
# on a line of its own within its head:
#
#   ctest: emulator label=slow timeout=300 serial fixture=packages
#
#   emulator  its program is linked with the emulator, and left out where that is not built
#   replaces  it has a program of its own, as it puts functions in the place of dcgen's
#   label     more labels, by commas: "thorough" stays out of all that `script/test` runs, it is for `script/test --thorough`; "slow" out of the
#             sanitizer builds, as do shell tests of whole packages (tests/package)
#   sanitized  is run with the address sanitizer though its area is not
#   timeout   seconds
#   cost      seconds that it takes, where these are many: the longest begin first
#   serial    runs alone
#   fixture   runs only when tests/<area>/setup_<fixture>.sh, itself run once before, succeeded
#   thorough  it is there a second time, as <area>_test_<x>_thorough or ..._thorough_sh, with THOROUGH=1, and does more then, or other things
set(run_clean sh ${PROJECT_SOURCE_DIR}/tests/run_clean.sh)
if(DCGEN_SANITIZE)
    set(timeout_factor 4)
else()
    set(timeout_factor 1)
endif()

# Rooms that take what others wrote, and those that everything stands on: what the address sanitizer is for. The thread sanitizer has all.
set(sanitized_areas gen_base gen_spec gen_graph gen_target gen_template gen_import search_record search_runner model)

# The words of a file's line.
function(dcgen_read_wishes file out)
    file(STRINGS ${file} line REGEX "^[ #/*]*ctest: " LIMIT_COUNT 1)
    string(REGEX REPLACE "^.*ctest: " "" line "${line}")
    separate_arguments(line)
    set(${out} ${line} PARENT_SCOPE)
endfunction()

# Is a test of this file left out of this build?
function(dcgen_leave_out_test file area out)
    set(${out} OFF PARENT_SCOPE)
    dcgen_read_wishes(${file} wishes)
    if(DCGEN_SANITIZE MATCHES "address" AND
       ("${wishes}" MATCHES "label=(slow|thorough)" OR NOT (area IN_LIST sanitized_areas OR "sanitized" IN_LIST wishes)))
        set(${out} ON PARENT_SCOPE)
    endif()
endfunction()

# What a test of this file is called, and its area.
function(dcgen_name_test file out_name out_area)
    file(RELATIVE_PATH path ${PROJECT_SOURCE_DIR}/tests ${file})
    get_filename_component(area ${path} DIRECTORY)
    get_filename_component(base ${path} NAME_WE)
    string(REPLACE "/" "_" area ${area})
    set(${out_name} ${area}_${base} PARENT_SCOPE)
    set(${out_area} ${area} PARENT_SCOPE)
endfunction()

function(dcgen_register_test name file area default_timeout)
    set(labels ${area} ${ARGN})
    set(timeout ${default_timeout})
    set(serial OFF)
    dcgen_read_wishes(${file} wishes)
    foreach(wish IN LISTS wishes)
        if(wish MATCHES "^label=(.+)")
            string(REPLACE "," ";" more_labels ${CMAKE_MATCH_1})
            list(APPEND labels ${more_labels})
        elseif(wish MATCHES "^timeout=(.+)")
            set(timeout ${CMAKE_MATCH_1})
        elseif(wish MATCHES "^cost=(.+)")
            set_tests_properties(${name} PROPERTIES COST ${CMAKE_MATCH_1})
        elseif(wish MATCHES "^fixture=(.+)")
            set_tests_properties(${name} PROPERTIES FIXTURES_REQUIRED ${CMAKE_MATCH_1})
        elseif(wish STREQUAL "serial")
            set(serial ON)
        endif()
    endforeach()
    if(area STREQUAL "package" AND file MATCHES "\\.sh$")
        list(APPEND labels slow)
    endif()
    if("thorough" IN_LIST ARGN) # it does more than the test that the line is of
        math(EXPR timeout "${timeout} * 3")
    endif()
    math(EXPR timeout "${timeout} * ${timeout_factor}")
    set_tests_properties(${name} PROPERTIES
        LABELS "${labels}" TIMEOUT ${timeout} RUN_SERIAL ${serial} SKIP_RETURN_CODE 77)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
endfunction()

# dcgen_add_program(NAME FILE...): the program that runs the tests of these files, which are of one folder.
function(dcgen_add_program program)
    add_executable(${program} ${PROJECT_SOURCE_DIR}/tests/main.c ${ARGN})
    target_link_libraries(${program} PRIVATE room_search_runner dcgen_core PkgConfig::cmocka ${CMAKE_DL_LIBS} m pthread)
    target_compile_definitions(${program} PRIVATE
        DCGEN_SOURCE_DIR="${PROJECT_SOURCE_DIR}" DCGEN_BINARY_DIR="${PROJECT_BINARY_DIR}")
    target_compile_options(${program} PRIVATE
        -O1 # it compiles faster, and is itself not what takes time
        -Wno-unused-parameter # of what is called by cmocka, or stands in the place of another function
        -Wno-missing-field-initializers) # rows of tables say what is not as usual
    set_target_properties(${program} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
    foreach(file IN LISTS ARGN)
        get_filename_component(folder ${file} DIRECTORY)
        get_filename_component(base ${file} NAME_WE)
        dcgen_name_test(${file} name area)
        add_test(NAME ${name} COMMAND ${run_clean} $<TARGET_FILE:${program}> ${base} WORKING_DIRECTORY ${folder})
        dcgen_register_test(${name} ${file} ${area} 120)
        dcgen_read_wishes(${file} wishes)
        if("thorough" IN_LIST wishes)
            add_test(NAME ${name}_thorough COMMAND ${CMAKE_COMMAND} -E env THOROUGH=1 ${run_clean} $<TARGET_FILE:${program}> ${base}
                     WORKING_DIRECTORY ${folder})
            dcgen_register_test(${name}_thorough ${file} ${area} 120 thorough)
        endif()
    endforeach()
endfunction()

function(dcgen_add_shell_test file)
    get_filename_component(folder ${file} DIRECTORY)
    dcgen_name_test(${file} name area)
    dcgen_leave_out_test(${file} ${area} left_out)
    if(left_out)
        return()
    endif()
    set(environment DCGEN=${CMAKE_BINARY_DIR}/dcgen SRC=${PROJECT_SOURCE_DIR} BIN=${CMAKE_BINARY_DIR})
    add_test(NAME ${name}_sh COMMAND ${CMAKE_COMMAND} -E env ${environment} ${run_clean} sh ${file} WORKING_DIRECTORY ${folder})
    dcgen_register_test(${name}_sh ${file} ${area} 300)
    dcgen_read_wishes(${file} wishes)
    if("thorough" IN_LIST wishes)
        set(name ${name}_thorough_sh)
        add_test(NAME ${name} COMMAND ${CMAKE_COMMAND} -E env ${environment} THOROUGH=1 ${run_clean} sh ${file} WORKING_DIRECTORY ${folder})
        dcgen_register_test(${name} ${file} ${area} 300 thorough)
    endif()
endfunction()

file(GLOB unit_tests CONFIGURE_DEPENDS tests/*/test_*.c tests/*/*/test_*.c)
foreach(file IN LISTS unit_tests)
    dcgen_name_test(${file} name area)
    dcgen_leave_out_test(${file} ${area} left_out)
    if(left_out)
        continue()
    endif()
    dcgen_read_wishes(${file} wishes)
    set(program ${area}_tests)
    if("emulator" IN_LIST wishes)
        set(program ${area}_emulator_tests)
    elseif("replaces" IN_LIST wishes)
        set(program ${name})
    endif()
    if(NOT "emulator" IN_LIST wishes OR TARGET dcgen_emulator)
        list(APPEND files_of_${program} ${file})
        list(APPEND programs ${program})
    endif()
endforeach()
list(REMOVE_DUPLICATES programs)
foreach(program IN LISTS programs)
    dcgen_add_program(${program} ${files_of_${program}})
    if(program MATCHES "_emulator_tests$") # kernels take its functions from the program
        target_link_libraries(${program} PRIVATE dcgen_emulator)
        set_target_properties(${program} PROPERTIES ENABLE_EXPORTS ON C_VISIBILITY_PRESET hidden)
    endif()
endforeach()

target_link_libraries(gen_import_tests PRIVATE dcgen_onnx_schema) # they make models

file(GLOB shell_tests CONFIGURE_DEPENDS tests/*/test_*.sh tests/*/*/test_*.sh)
foreach(file IN LISTS shell_tests)
    dcgen_add_shell_test(${file})
endforeach()

file(GLOB setups CONFIGURE_DEPENDS tests/*/setup_*.sh)
foreach(file IN LISTS setups)
    dcgen_add_shell_test(${file})
    if(DCGEN_SANITIZE MATCHES "address")
        continue()
    endif()
    string(REGEX REPLACE "^.*/([^/]+)/setup_([^/]+)\\.sh$" "\\1_setup_\\2_sh;\\2" row ${file})
    list(GET row 0 name)
    list(GET row 1 fixture)
    set_tests_properties(${name} PROPERTIES FIXTURES_SETUP ${fixture})
endforeach()

# The comparison of searches (bench/tuning) uses much of dcgen, and no test runs it: it must compile at least.
if(NOT DCGEN_SANITIZE MATCHES "address")
    file(GLOB tuning_sources CONFIGURE_DEPENDS bench/tuning/*.c)
    add_executable(bench_tuning ${tuning_sources} bench/machine.c)
    target_link_libraries(bench_tuning PRIVATE dcgen_core)
    # So must what script/bench uses of dcgen, but for the files on libraries that need not be here.
    file(GLOB bench_sources CONFIGURE_DEPENDS bench/*.c)
    list(FILTER bench_sources EXCLUDE REGEX "dnnl|xsmm|blas|blis|batch_matmul")
    add_library(bench_compiles OBJECT ${bench_sources})
    target_link_libraries(bench_compiles PRIVATE dcgen_core)
    target_compile_definitions(bench_compiles PRIVATE BENCH_RESULTS="" BENCH_TEMPLATES="")
    target_compile_options(bench_compiles PRIVATE -Wno-unknown-pragmas)
endif()
