# SPDX-License-Identifier: Apache-2.0
#
#   dcgen_generate(NAME <name> SPEC <file> RECORDS <file>
#                  [TARGET <target>...] [KERNELS <n>] [CODE_KIB <n>] [TEMPLATES <folder>...] [REPORT])
#
# Replays the recorded measurements while CMake configures, and adds the package as add_subdirectory would: the target
# <name>::<name>, with the package's own compile options, without its test. <name> is the one that the spec gives. Paths
# are relative to the current source folder. TARGET, KERNELS, CODE_KIB and TEMPLATES are dcgen's options of that name;
# report.html is made only with REPORT, as that needs gnuplot. When the spec, the records, the templates or dcgen
# change, the next build configures anew. A file that comes out as it was keeps its time, and is not compiled again.

cmake_policy(PUSH)
cmake_policy(VERSION 3.16)

# Words of dcgen's, or a path, every line indented: CMake leaves those as they are, carets included.
function(_dcgen_fail name what said)
    string(STRIP "${said}" said)
    string(REPLACE "\n" "\n  " said "${said}")
    message(FATAL_ERROR "dcgen_generate(${name}): ${what}\n  ${said}\n")
endfunction()

# `out`: the paths on those lines of a package's MANIFEST that begin with `before` and a hash: "" its files, "# template " its templates.
function(_dcgen_manifest folder before out)
    set(paths)
    if(EXISTS "${folder}/MANIFEST")
        file(STRINGS "${folder}/MANIFEST" lines REGEX "^${before}[0-9a-f]+  ")
        foreach(line IN LISTS lines)
            string(REGEX REPLACE "^${before}[0-9a-f]+  " "" path "${line}")
            list(APPEND paths "${path}")
        endforeach()
    endif()
    set(${out} "${paths}" PARENT_SCOPE)
endfunction()

# The package in `from`, to `to`: only what differs is copied, and what is no more is removed.
function(_dcgen_update from to)
    _dcgen_manifest("${from}" "" new)
    _dcgen_manifest("${to}" "" old)
    if(old)
        list(REMOVE_ITEM old ${new})
    endif()
    foreach(file IN LISTS old)
        file(REMOVE "${to}/${file}")
    endforeach()
    file(MAKE_DIRECTORY "${to}")
    list(TRANSFORM new PREPEND "${from}/")
    execute_process(COMMAND "${CMAKE_COMMAND}" -E copy_if_different ${new} "${from}/MANIFEST" "${to}" RESULT_VARIABLE code)
    if(code)
        _dcgen_fail("" "the package cannot be written to:" "${to}")
    endif()
    file(REMOVE_RECURSE "${from}")
endfunction()

# A change of any of these files makes CMake run again before the next build.
function(_dcgen_depend_on)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${ARGN})
endfunction()

# On what the package was made of, in these folders of templates.
function(_dcgen_depend_on_templates package)
    _dcgen_manifest("${package}" "# template " paths)
    foreach(folder IN LISTS ARGN)
        foreach(path IN LISTS paths)
            if(EXISTS "${folder}/${path}")
                _dcgen_depend_on("${folder}/${path}")
            endif()
        endforeach()
    endforeach()
endfunction()

# `out`: the absolute path of a file that must be there, and that CMake can watch: a ';' would make two of it.
function(_dcgen_input name keyword path out)
    get_filename_component(path "${path}" ABSOLUTE BASE_DIR "${CMAKE_CURRENT_SOURCE_DIR}")
    if("${path}" MATCHES ";")
        _dcgen_fail(${name} "${keyword} may have no ';' in its path:" "${path}")
    endif()
    if(NOT EXISTS "${path}")
        _dcgen_fail(${name} "${keyword} is not there:" "${path}")
    endif()
    set(${out} "${path}" PARENT_SCOPE)
endfunction()

# `out`: the options of `dcgen replay`, from what dcgen_generate was given.
function(_dcgen_options out)
    set(options --quiet)
    if(NOT arg_REPORT)
        list(APPEND options --no-report)
    endif()
    if(arg_TARGET)
        string(REPLACE ";" "," targets "${arg_TARGET}")
        list(APPEND options --target ${targets})
    endif()
    if(DEFINED arg_KERNELS)
        list(APPEND options --kernels ${arg_KERNELS})
    endif()
    if(DEFINED arg_CODE_KIB)
        list(APPEND options --code-kib ${arg_CODE_KIB})
    endif()
    foreach(folder IN LISTS arg_TEMPLATES)
        list(APPEND options --templates "${folder}")
    endforeach()
    set(${out} "${options}" PARENT_SCOPE)
endfunction()

# `out`: the absolute paths of the folders of templates, each watched for files that come.
function(_dcgen_templates name folders out)
    set(found)
    foreach(folder IN LISTS folders)
        _dcgen_input(${name} TEMPLATES "${folder}" folder)
        if(folder MATCHES ",")
            _dcgen_fail(${name} "TEMPLATES may have no comma in their path:" "${folder}")
        endif()
        file(GLOB_RECURSE ignored CONFIGURE_DEPENDS "${folder}/*")
        list(APPEND found "${folder}")
    endforeach()
    set(${out} "${found}" PARENT_SCOPE)
endfunction()

function(_dcgen_check_arguments)
    if(arg_UNPARSED_ARGUMENTS OR arg_KEYWORDS_MISSING_VALUES)
        message(FATAL_ERROR "dcgen_generate(${arg_NAME}): not understood: "
                            "${arg_UNPARSED_ARGUMENTS} ${arg_KEYWORDS_MISSING_VALUES}")
    endif()
    foreach(keyword IN ITEMS NAME SPEC RECORDS)
        if(NOT arg_${keyword})
            message(FATAL_ERROR "dcgen_generate(${arg_NAME}): ${keyword} is missing")
        endif()
    endforeach()
    if(TARGET ${arg_NAME}::${arg_NAME})
        message(FATAL_ERROR "dcgen_generate(${arg_NAME}): there is a target ${arg_NAME}::${arg_NAME} already")
    endif()
endfunction()

# Replays into `folder`; ends CMake with dcgen's own words when that fails.
function(_dcgen_replay name spec records folder)
    execute_process(COMMAND "${dcgen_PROGRAM}" replay "${spec}" --records "${records}" --out "${folder}" ${ARGN}
                    RESULT_VARIABLE code OUTPUT_QUIET ERROR_VARIABLE said)
    if(code)
        _dcgen_fail(${name} "dcgen replay ends with ${code}:" "${said}")
    endif()
    file(STRINGS "${folder}/MANIFEST" given REGEX "^# package ")
    if(NOT given STREQUAL "# package ${name}")
        string(REPLACE "# package " "" given "${given}")
        _dcgen_fail(${name} "the spec's name is '${given}', not NAME:" "${spec}")
    endif()
endfunction()

function(dcgen_generate)
    cmake_parse_arguments(PARSE_ARGV 0 arg "REPORT" "NAME;SPEC;RECORDS;KERNELS;CODE_KIB" "TARGET;TEMPLATES")
    _dcgen_check_arguments()
    set(name ${arg_NAME})
    _dcgen_input(${name} SPEC "${arg_SPEC}" spec)
    _dcgen_input(${name} RECORDS "${arg_RECORDS}" records)
    _dcgen_input(${name} "The program dcgen" "${dcgen_PROGRAM}" ignored)
    _dcgen_input(${name} "The build folder" "${CMAKE_CURRENT_BINARY_DIR}" ignored)
    _dcgen_templates(${name} "${arg_TEMPLATES}" arg_TEMPLATES)
    _dcgen_options(options)
    _dcgen_depend_on("${spec}" "${records}" "${dcgen_PROGRAM}")
    set(dir "${CMAKE_CURRENT_BINARY_DIR}/dcgen/${name}")
    _dcgen_replay(${name} "${spec}" "${records}" "${dir}/new" ${options})
    _dcgen_update("${dir}/new" "${dir}/source")
    _dcgen_depend_on_templates("${dir}/source" ${arg_TEMPLATES} "${dcgen_TEMPLATES}")
    add_subdirectory("${dir}/source" "${dir}/build")
endfunction()

cmake_policy(POP)
