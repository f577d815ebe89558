# SPDX-License-Identifier: Apache-2.0
#
# dcgen-runner-cuda, where a CUDA toolkit is found; nothing else of dcgen needs one. The CUDA runtime is linked
# statically and lent to the code under test (lend_cudart.cmake); driver, CUPTI and NVML are looked for when the program runs.
#
# The parts that touch no GPU are a library of their own, for unit tests. With tests, the runner is built a second time
# as dcgen-runner-cuda-fake: the same sources on a CUDA runtime that works in host memory (tests/search/runner/cuda/fake_cudart.c).
set(cuda_dir ${PROJECT_SOURCE_DIR}/search/runner/cuda)
add_library(dcgen_cuda_host STATIC ${cuda_dir}/trace.c ${cuda_dir}/watchdog.c ${cuda_dir}/nvml.c ${cuda_dir}/library.c)
dcgen_show_headers(dcgen_cuda_host PUBLIC search/runner/cuda)
target_link_libraries(dcgen_cuda_host PUBLIC room_search_record ${CMAKE_DL_LIBS} pthread)

if(BUILD_TESTING) # its target is made later
    cmake_language(DEFER CALL target_link_libraries search_runner_tests PRIVATE dcgen_cuda_host)
endif()

find_package(CUDAToolkit QUIET)
set(cuda_missing)
if(NOT CUDAToolkit_FOUND)
    set(cuda_missing "no CUDA toolkit")
elseif(NOT TARGET CUDA::cudart_static)
    set(cuda_missing "the CUDA toolkit lacks libcudart_static.a")
elseif(NOT CMAKE_OBJCOPY OR NOT CMAKE_NM)
    set(cuda_missing "no objcopy or nm")
else()
    find_path(CUPTI_INCLUDE_DIR cupti.h HINTS ${CUDAToolkit_INCLUDE_DIRS}
              PATHS ${CUDAToolkit_LIBRARY_ROOT}/extras/CUPTI/include ${CUDAToolkit_TARGET_DIR}/../../extras/CUPTI/include)
    if(NOT CUPTI_INCLUDE_DIR)
        set(cuda_missing "the CUDA toolkit lacks cupti.h")
    endif()
endif()
if(cuda_missing)
    message(STATUS "dcgen-runner-cuda is left out: ${cuda_missing}")
    return()
endif()
message(STATUS "dcgen-runner-cuda is built with CUDA ${CUDAToolkit_VERSION}")

add_library(dcgen_runner_cuda STATIC ${cuda_dir}/builtin.c ${cuda_dir}/check.c ${cuda_dir}/gpu.c ${cuda_dir}/limits_cuda.c ${cuda_dir}/sample.c ${cuda_dir}/timer.c
            ${cuda_dir}/tracer.c)
set_source_files_properties(${cuda_dir}/builtin.c PROPERTIES COMPILE_DEFINITIONS "BUILTIN_PTX=\"${cuda_dir}/builtin.ptx\""
                            OBJECT_DEPENDS ${cuda_dir}/builtin.ptx)
target_include_directories(dcgen_runner_cuda SYSTEM PUBLIC ${CUDAToolkit_INCLUDE_DIRS} ${CUPTI_INCLUDE_DIR})
target_link_libraries(dcgen_runner_cuda PUBLIC dcgen_cuda_host room_search_runner)

get_target_property(cudart_archive CUDA::cudart_static IMPORTED_LOCATION)
set(lent_dir ${CMAKE_CURRENT_BINARY_DIR}/cudart)
add_custom_command(
    OUTPUT ${lent_dir}/libcudart_lent.a ${lent_dir}/lent.c
    COMMAND ${CMAKE_COMMAND} -DARCHIVE=${cudart_archive} -DNM=${CMAKE_NM} -DOBJCOPY=${CMAKE_OBJCOPY} -DOUT=${lent_dir}
            -P ${PROJECT_SOURCE_DIR}/cmake/lend_cudart.cmake
    DEPENDS ${cudart_archive} ${PROJECT_SOURCE_DIR}/cmake/lend_cudart.cmake
    COMMENT "Lending CUDA's runtime" VERBATIM)

# Only the CUDA runtime is exported: names of this program's own must not take the place of those of the code under test.
file(WRITE ${lent_dir}/exports.txt "{ cuda*; __cuda*; };\n")
add_executable(dcgen-runner-cuda ${cuda_dir}/runner_cuda.c ${lent_dir}/lent.c ${lent_dir}/libcudart_lent.a)
target_link_libraries(dcgen-runner-cuda PRIVATE dcgen_runner_cuda ${lent_dir}/libcudart_lent.a ${CMAKE_DL_LIBS} pthread rt)
target_link_options(dcgen-runner-cuda PRIVATE "LINKER:--dynamic-list=${lent_dir}/exports.txt")
set_property(TARGET dcgen-runner-cuda APPEND PROPERTY LINK_DEPENDS ${lent_dir}/libcudart_lent.a)
install(TARGETS dcgen-runner-cuda RUNTIME DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/dcgen)

if(BUILD_TESTING)
    set(fake_dir ${PROJECT_SOURCE_DIR}/tests/search/runner/cuda)
    add_executable(dcgen-runner-cuda-fake ${cuda_dir}/runner_cuda.c ${fake_dir}/fake_cudart.c)
    target_link_libraries(dcgen-runner-cuda-fake PRIVATE dcgen_runner_cuda)
    target_include_directories(dcgen-runner-cuda-fake PRIVATE ${PROJECT_SOURCE_DIR})
    set_target_properties(dcgen-runner-cuda-fake PROPERTIES ENABLE_EXPORTS ON
                          RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
    cmake_language(DEFER CALL target_sources search_runner_tests PRIVATE ${fake_dir}/fake_cudart.c)
    cmake_language(DEFER CALL target_link_libraries search_runner_tests PRIVATE dcgen_runner_cuda)
    cmake_language(DEFER CALL target_compile_definitions search_runner_tests PRIVATE DCGEN_HAVE_CUDA)
    foreach(library cupti nvml)
        add_library(dcgen_fake_${library} MODULE ${fake_dir}/fake_${library}.c)
        target_include_directories(dcgen_fake_${library} PRIVATE ${PROJECT_SOURCE_DIR})
        target_include_directories(dcgen_fake_${library} SYSTEM PRIVATE ${CUDAToolkit_INCLUDE_DIRS} ${CUPTI_INCLUDE_DIR})
        target_link_libraries(dcgen_fake_${library} PRIVATE dcgen_options ${CMAKE_DL_LIBS})
        set_target_properties(dcgen_fake_${library} PROPERTIES PREFIX "" LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests/cuda)
    endforeach()
    set_target_properties(dcgen_fake_cupti PROPERTIES OUTPUT_NAME libcupti SUFFIX ".so.13")
    set_target_properties(dcgen_fake_nvml PROPERTIES OUTPUT_NAME libnvidia-ml SUFFIX ".so.1")
endif()
