# SPDX-License-Identifier: MIT
# read-automake.cmake - reads Makefile.am, the local.mk files and configure.ac, so that there is one list of sources, one list
# of libraries and one set of conditions for both build systems.
#
# Understands what these files use: variables with = and +=, $(NAME), %D%, %C%, if, else, endif and include; of configure.ac,
# AC_INIT, PKG_CHECK_MODULES, AM_CONDITIONAL, and AS_IF with `test "TEXT" = WORD` that sets a variable or has an AC_DEFINE.
# Rules and everything else are skipped. All names are global properties with the prefix SW_.

function(sw_set name value)
    set_property(GLOBAL PROPERTY "SW_${name}" "${value}")
endfunction()

# sw_set_folder(NAME FOLDER): a folder that is part of words, which a space or a quote in it must not end.
function(sw_set_folder name folder)
    string(REGEX REPLACE "([ '\"\\])" "\\\\\\1" escaped "${folder}")
    sw_set(${name} "${escaped}")
endfunction()

# sw_get(RESULT NAME): the value of a variable with all $(...) expanded; an unknown variable is empty.
function(sw_get result name)
    get_property(text GLOBAL PROPERTY "SW_${name}")
    while(text MATCHES "\\$\\(([A-Za-z0-9_]+)\\)")
        get_property(inner GLOBAL PROPERTY "SW_${CMAKE_MATCH_1}")
        string(REPLACE "$(${CMAKE_MATCH_1})" "${inner}" text "${text}")
    endwhile()
    set(${result} "${text}" PARENT_SCOPE)
endfunction()

# sw_words(RESULT NAME): the same as a list.
function(sw_words result name)
    sw_get(text "${name}")
    separate_arguments(list UNIX_COMMAND "${text}")
    set(${result} "${list}" PARENT_SCOPE)
endfunction()

# sw_canonical(RESULT NAME): as automake writes names of targets in names of variables.
function(sw_canonical result name)
    string(REGEX REPLACE "[^A-Za-z0-9_]" "_" canonical "${name}")
    set(${result} "${canonical}" PARENT_SCOPE)
endfunction()

# sw_lines(RESULT FILE): the lines, joined where they end with a backslash. Lists of CMake give ; [ and ] a meaning.
function(sw_lines result file)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${file}")
    file(READ "${file}" text)
    string(REGEX REPLACE "[ \t]*\\\\\n[ \t]*" " " text "${text}")
    string(REPLACE ";" " " text "${text}")
    string(REPLACE "[" "<" text "${text}")
    string(REPLACE "]" ">" text "${text}")
    string(REPLACE "\n" ";" text "${text}")
    set(${result} "${text}" PARENT_SCOPE)
endfunction()

# ---- Makefile.am and local.mk ------------------------------------------------------------------------------

# sw_read_makefile(FILE): FILE is relative to the top folder.
function(sw_read_makefile file)
    get_filename_component(folder "${file}" DIRECTORY)
    sw_canonical(canonical "${folder}")
    sw_lines(lines "${SW_TOP}/${file}")
    set(skipping 0)    # how deep in conditions that do not hold
    set(nested 0) # how deep in conditions inside of those
    foreach(line IN LISTS lines)
        if(line MATCHES "^\t|^#")
            continue()
        elseif(line MATCHES "^if (!?)([A-Z0-9_]+)")
            get_property(holds GLOBAL PROPERTY "SW_IF_${CMAKE_MATCH_2}")
            if(CMAKE_MATCH_1)
                if(holds)
                    set(holds FALSE)
                else()
                    set(holds TRUE)
                endif()
            endif()
            if(skipping)
                math(EXPR nested "${nested} + 1")
            elseif(NOT holds)
                set(skipping 1)
            endif()
            continue()
        elseif(line MATCHES "^else")
            if(NOT nested)
                math(EXPR skipping "1 - ${skipping}")
            endif()
            continue()
        elseif(line MATCHES "^endif")
            if(nested)
                math(EXPR nested "${nested} - 1")
            else()
                set(skipping 0)
            endif()
            continue()
        elseif(skipping)
            continue()
        endif()
        string(REPLACE "%D%" "${folder}" line "${line}")
        string(REPLACE "%C%" "${canonical}" line "${line}")
        if(line MATCHES "^include (.*)$")
            set(included "${CMAKE_MATCH_1}")
            if(NOT included MATCHES "^(tests|bench|debian|docs|examples)/")
                sw_read_makefile("${included}")
            endif()
        elseif(line MATCHES "^([A-Za-z0-9_]+)[ \t]*(\\+?)=[ \t]*(.*)$")
            set(name "${CMAKE_MATCH_1}")
            set(value "${CMAKE_MATCH_3}")
            if(CMAKE_MATCH_2)
                get_property(before GLOBAL PROPERTY "SW_${name}")
                set(value "${before} ${value}")
            endif()
            sw_set("${name}" "${value}")
        endif()
    endforeach()
endfunction()

# ---- configure.ac ------------------------------------------------------------------------------------------

# sw_test(RESULT TEXT WORD): whether TEXT is WORD when the shell has expanded its variables.
function(sw_test result text word)
    while(text MATCHES "\\$([A-Za-z_]+)")
        set(name "${CMAKE_MATCH_1}")
        get_property(value GLOBAL PROPERTY "SW_SH_${name}")
        string(REPLACE "$${name}" "${value}" text "${text}")
    endwhile()
    string(COMPARE EQUAL "${text}" "${word}" same)
    set(${result} ${same} PARENT_SCOPE)
endfunction()

# Sets have_NAME as configure does, NAME_CFLAGS and NAME_LIBS for local.mk, and NAME_FLAGS: the libraries as flags, for the files
# that are installed. NAME_LIBS has whole paths, so that CMake knows where they are when it compiles for another machine.
function(sw_check_module name specification)
    string(REGEX REPLACE " *>= *" ">=" specification "${specification}")
    pkg_check_modules(SW_FOUND_${name} QUIET "${specification}")
    string(TOLOWER "${name}" lower)
    if(SW_FOUND_${name}_FOUND)
        sw_set("SH_have_${lower}" yes)
        string(REPLACE ";" " " cflags "${SW_FOUND_${name}_CFLAGS}")
        string(REPLACE ";" " " libs "${SW_FOUND_${name}_LINK_LIBRARIES}")
        string(REPLACE ";" " " flags "${SW_FOUND_${name}_LDFLAGS}")
        sw_set("${name}_CFLAGS" "${cflags}")
        sw_set("${name}_LIBS" "${libs}")
        sw_set("${name}_FLAGS" "${flags}")
    else()
        sw_set("SH_have_${lower}" no)
    endif()
endfunction()

# sw_read_configure(FILE): also collects in SW_DEFINES the macros of config.h.
function(sw_read_configure file)
    sw_lines(lines "${SW_TOP}/${file}")
    # One statement may be several lines. The first line of each statement is what is read.
    set(condition "")
    foreach(line IN LISTS lines)
        if(line MATCHES "PKG_CHECK_MODULES\\(<([A-Z_]+)>, <([^>]+(>=)?[^>]*)>")
            sw_check_module("${CMAKE_MATCH_1}" "${CMAKE_MATCH_2}")
        endif()
        if(line MATCHES "^WARN_CFLAGS=\"([^\"]*)\"")
            sw_set(WARN_CFLAGS "${CMAKE_MATCH_1}")
        endif()
        set(holds TRUE)
        if(line MATCHES "^(AS_IF|AM_CONDITIONAL)\\(.*<test \"([^\"]*)\" = ([a-z]+)>")
            sw_test(holds "${CMAKE_MATCH_2}" "${CMAKE_MATCH_3}")
        endif()
        if(line MATCHES "^AM_CONDITIONAL\\(<([A-Z_]+)>(.*= [a-z]+>)?")
            set(name "${CMAKE_MATCH_1}")
            if(NOT CMAKE_MATCH_2) # not of that form: sw_builtin_sinks() and the like set it
                set(holds FALSE)
            endif()
            sw_set("IF_${name}" ${holds})
        elseif(line MATCHES "^AS_IF\\(<test [^>]*>, <([a-z_]+)=([a-z]+)>(, <([a-z_]+)=([a-z]+)>)?\\)$")
            if(holds)
                sw_set("SH_${CMAKE_MATCH_1}" "${CMAKE_MATCH_2}")
            elseif(CMAKE_MATCH_4)
                sw_set("SH_${CMAKE_MATCH_4}" "${CMAKE_MATCH_5}")
            endif()
        elseif(line MATCHES "^AS_IF\\(<test .*AC_DEFINE\\(<([A-Z_]+)>, <1>" AND holds)
            set_property(GLOBAL APPEND PROPERTY SW_DEFINES "${CMAKE_MATCH_1}")
        endif()
    endforeach()
endfunction()
