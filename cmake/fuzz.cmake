# SPDX-License-Identifier: Apache-2.0
#
# The fuzzers (tests/fuzz/README.md): tests/fuzz/fuzz_<parser>.c becomes the program and test fuzz_<parser>. With libFuzzer, where
# DCGEN_SANITIZE names it (preset fuzz), a test fuzzes for ten seconds; else it replays seeds and some mutations of them.
#
# A row: parser; where its seeds are, besides tests/fuzz/corpus/<parser>; "wrap" and functions that the fuzzer has of its own.
set(fuzz_rows
    "answer    wrap child_start child_has_ended child_end nanosleep"
    "compiler"
    "formula"
    "manifest"
    "op        templates/*/op.cfg tests/gen/spec/op/*/op.cfg tests/gen/spec/op_bad/*/op.cfg"
    "record"
    "regret"
    "request   wrap dlopen dlsym dlclose dlerror shape_get"
    "spec      specs/*.cfg tests/gen/spec/cases/*.cfg"
    "target    templates/targets/*.cfg"
    "template  templates/dense/*_gemm.* templates/dense/*gemv.cu tests/cli/templates/dense/*.c* wrap conf_source")

if(DCGEN_SANITIZE MATCHES "fuzzer")
    enable_testing()
    set(fuzz_main -fsanitize=fuzzer)
    set(fuzz_options -max_total_time=10 -timeout=10 -rss_limit_mb=1024 -max_len=65536 -print_final_stats=1)
    set(fuzz_timeout 60)
else()
    set(fuzz_options -runs=20000)
    set(fuzz_timeout 120)
endif()

add_library(dcgen_fuzz STATIC tests/fuzz/fuzz.c)
target_link_libraries(dcgen_fuzz PUBLIC dcgen_core room_search_runner)
if(NOT fuzz_main)
    target_sources(dcgen_fuzz PRIVATE tests/fuzz/replay.c)
endif()
add_custom_target(fuzzers)

function(dcgen_add_fuzzer parser seeds wrapped)
    set(name fuzz_${parser})
    set(folder ${CMAKE_BINARY_DIR}/fuzz)
    list(TRANSFORM seeds PREPEND ${PROJECT_SOURCE_DIR}/)
    file(GLOB files CONFIGURE_DEPENDS ${seeds} tests/fuzz/corpus/${parser}/*)
    list(JOIN files "," text)
    file(WRITE ${folder}/${parser}.seeds "${text}")
    add_executable(${name} tests/fuzz/${name}.c)
    target_link_libraries(${name} PRIVATE dcgen_fuzz ${fuzz_main})
    target_compile_definitions(${name} PRIVATE DCGEN_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
    set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
    foreach(function IN LISTS wrapped)
        target_link_options(${name} PRIVATE -Wl,--wrap=${function})
    endforeach()
    add_dependencies(fuzzers ${name})
    if(fuzz_main) # what it finds of interest is kept for the next time
        file(MAKE_DIRECTORY ${folder}/${parser})
        set(corpus ${folder}/${parser})
    endif()
    add_test(NAME ${name} COMMAND ${name} -seed_inputs=@${folder}/${parser}.seeds -artifact_prefix=${folder}/${parser}-
        ${fuzz_options} ${corpus})
    set_tests_properties(${name} PROPERTIES LABELS fuzz TIMEOUT ${fuzz_timeout})
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
