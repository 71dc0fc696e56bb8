# Which tests run once more under a sanitizer, inside `make test`: those of rooms that read bytes of
# unknown origin (asan), and those of rooms where threads meet (tsan). The presets of these names
# build the target `suites` alone and run the tests labelled `sanitized`. tests/fuzz adds its own.
set(suites_address base json weights jinja text media api)
set(suites_thread base ask sim)

if(SAKER_SANITIZE AND SAKER_TESTS AND NOT SAKER_GPU_ONLY)
    string(REGEX MATCH "address|thread" kind "${SAKER_SANITIZE}")
    add_custom_target(suites)
    foreach(name ${suites_${kind}})
        if(TARGET ${name}_test)
            add_dependencies(suites ${name}_test)
            if(TEST ${name}_test)  # those of tests/ label themselves in their own folder
                set_tests_properties(${name}_test PROPERTIES LABELS sanitized)
            endif()
        endif()
    endforeach()
    get_property(fuzz_tests GLOBAL PROPERTY SAKER_FUZZ_TESTS)
    if(fuzz_tests AND kind STREQUAL "address")
        add_dependencies(suites ${fuzz_tests})
    endif()
endif()
