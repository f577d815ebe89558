# SPDX-License-Identifier: Apache-2.0
#
# The fuzzers (tests/fuzz/README.md), for builds with the address sanitizer. tests/fuzz/fuzz_<parser>.c becomes the program and test
# replay_<parser>, which runs its seeds and some mutations of them; with libFuzzer, where DCGEN_SANITIZE names it (preset fuzz), fewer of them, and
# fuzz_<parser> fuzzes for ten seconds. An input may take a minute: a spec of many shapes takes ten seconds on a machine with much else to do.
#
# A row: parser; where its seeds are, besides tests/fuzz/corpus/<parser>; "wrap" and functions that the fuzzer has of its own.
set(fuzz_rows
    "answer    wrap child_start child_has_ended child_end nanosleep"
    "compiler"
    "formula"
    "graph"
    "import    tests/fuzz/corpus/onnx/*"
    "manifest"
    "onnx"
    "op        templates/*/op.cfg tests/gen/spec/op/*/op.cfg tests/gen/spec/op_bad/*/op.cfg"
    "record"
    "regret"
    "request   wrap dlopen dlsym dlclose dlerror shape_get"
    "safetensors"
    "shapes"
    "spec      specs/*.cfg tests/gen/spec/cases/*.cfg"
    "target    templates/targets/*.cfg"
    "template  templates/dense/*_gemm.* templates/dense/*gemv.cu tests/cli/templates/dense/*.c* wrap conf_source")

add_library(dcgen_fuzz STATIC tests/fuzz/fuzz.c)
target_link_libraries(dcgen_fuzz PUBLIC dcgen_core room_search_runner)

# A program and test of a parser's object; OPTIONS are the test's, besides its seeds.
function(dcgen_add_fuzz_program name parser wrapped)
    cmake_parse_arguments(FUZZ "" "TIMEOUT;LABEL" "SOURCES;LINK;OPTIONS" ${ARGN})
    set(folder ${CMAKE_BINARY_DIR}/fuzz)
    add_executable(${name} ${FUZZ_SOURCES})
    target_link_libraries(${name} PRIVATE dcgen_fuzz_${parser} dcgen_fuzz ${FUZZ_LINK})
    set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests LINKER_LANGUAGE C)
    foreach(function IN LISTS wrapped)
        target_link_options(${name} PRIVATE -Wl,--wrap=${function})
    endforeach()
    add_test(NAME ${name} COMMAND ${name} -seed_inputs=@${folder}/${parser}.seeds -artifact_prefix=${folder}/${parser}- ${FUZZ_OPTIONS})
    set_tests_properties(${name} PROPERTIES LABELS ${FUZZ_LABEL} TIMEOUT ${FUZZ_TIMEOUT})
endfunction()

function(dcgen_add_fuzzer parser seeds wrapped)
    set(folder ${CMAKE_BINARY_DIR}/fuzz)
    list(TRANSFORM seeds PREPEND ${PROJECT_SOURCE_DIR}/)
    file(GLOB files CONFIGURE_DEPENDS ${seeds} tests/fuzz/corpus/${parser}/*)
    list(JOIN files "," text)
    file(WRITE ${folder}/${parser}.seeds "${text}")
    add_library(dcgen_fuzz_${parser} OBJECT tests/fuzz/fuzz_${parser}.c)
    target_link_libraries(dcgen_fuzz_${parser} PRIVATE dcgen_fuzz)
    target_compile_definitions(dcgen_fuzz_${parser} PRIVATE DCGEN_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
    set(runs 20000)
    if(DCGEN_SANITIZE MATCHES "fuzzer")
        set(runs 2000)
        file(MAKE_DIRECTORY ${folder}/${parser}) # what it finds of interest is kept for the next time
        dcgen_add_fuzz_program(fuzz_${parser} ${parser} "${wrapped}" LINK -fsanitize=fuzzer LABEL fuzz TIMEOUT 120 OPTIONS
            -max_total_time=10 -timeout=60 -rss_limit_mb=1024 -max_len=65536 -print_final_stats=1 ${folder}/${parser})
    endif()
    dcgen_add_fuzz_program(replay_${parser} ${parser} "${wrapped}" SOURCES tests/fuzz/replay.c OPTIONS -runs=${runs} LABEL replay TIMEOUT 120)
endfunction()

foreach(row IN LISTS fuzz_rows)
    separate_arguments(words UNIX_COMMAND "${row}")
    list(POP_FRONT words parser)
    set(seeds ${words})
    set(wrapped)
    list(FIND words wrap place)
    if(place GREATER -1)
        list(SUBLIST words 0 ${place} seeds)
        list(SUBLIST words ${place} -1 wrapped)
        list(POP_FRONT wrapped)
    endif()
    dcgen_add_fuzzer(${parser} "${seeds}" "${wrapped}")
endforeach()
