# SPDX-License-Identifier: Apache-2.0
#
# dcgen-runner-emu executes CUDA kernels on the CPU. They are compiled with -fsanitize=thread, and this program supplies
# the functions that such code calls, so it cannot itself be built with that sanitizer. AddressSanitizer would have to
# be told of each change of stacks; code that runs on the stacks of emulated threads does without it.
file(GLOB emu_sources CONFIGURE_DEPENDS search/runner/emu/*.[ch])
if(emu_sources AND NOT DCGEN_SANITIZE MATCHES "thread")
    add_executable(dcgen-runner-emu ${emu_sources})
    target_link_libraries(dcgen-runner-emu PRIVATE dcgen_runner)
    # Candidates take the functions marked EXPORT from this program, and no others.
    set_target_properties(dcgen-runner-emu PROPERTIES ENABLE_EXPORTS ON C_VISIBILITY_PRESET hidden)
    if(CMAKE_BUILD_TYPE STREQUAL "Release")
        target_compile_options(dcgen-runner-emu PRIVATE -O3)
    endif()
    if(DCGEN_SANITIZE)
        set(on_fibers ${emu_sources})
        list(FILTER on_fibers EXCLUDE REGEX "/runner_emu\\.c$")
        set_source_files_properties(${on_fibers} PROPERTIES COMPILE_OPTIONS -fno-sanitize=address)
    endif()
    install(TARGETS dcgen-runner-emu RUNTIME DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/dcgen)
endif()
