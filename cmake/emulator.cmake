# SPDX-License-Identifier: Apache-2.0
#
# The emulator executes CUDA kernels on the CPU. They are compiled with -fsanitize=thread, and the emulator supplies the
# functions that such code calls, so it cannot itself be built with that sanitizer. AddressSanitizer would have to be
# told of each change of stacks; code that runs on the stacks of emulated threads does without it.
#
#   dcgen-runner-emu      verifies candidates for dcgen
#   libdcgen_emulator.a   for programs that have kernels of their own: tests link whole packages with it
file(GLOB emu_sources CONFIGURE_DEPENDS search/runner/emu/*.[ch])
list(FILTER emu_sources EXCLUDE REGEX "/runner_emu\\.c$")
if(emu_sources AND NOT DCGEN_SANITIZE MATCHES "thread")
    add_library(dcgen_emulator STATIC ${emu_sources} search/runner/buffer.c)
    dcgen_show_headers(dcgen_emulator PUBLIC search/runner/emu)
    dcgen_show_headers(dcgen_emulator PRIVATE search/runner)
    target_link_libraries(dcgen_emulator PRIVATE dcgen_options room_templates room_gen_base PUBLIC ${CMAKE_DL_LIBS} pthread)
    add_executable(dcgen-runner-emu search/runner/emu/runner_emu.c)
    target_link_libraries(dcgen-runner-emu PRIVATE dcgen_emulator room_search_runner)
    # Candidates take the functions marked EXPORT from this program, and no others.
    set_target_properties(dcgen_emulator PROPERTIES C_VISIBILITY_PRESET hidden)
    set_target_properties(dcgen-runner-emu PROPERTIES ENABLE_EXPORTS ON C_VISIBILITY_PRESET hidden)
    if(CMAKE_BUILD_TYPE STREQUAL "Release")
        target_compile_options(dcgen_emulator PRIVATE -O3)
    endif()
    if(DCGEN_SANITIZE)
        set_source_files_properties(${emu_sources} PROPERTIES COMPILE_OPTIONS -fno-sanitize=address)
    endif()
    install(TARGETS dcgen-runner-emu RUNTIME DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/dcgen)
endif()
