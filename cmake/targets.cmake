# The program, and the tests and benchmarks that span rooms.
if(NOT SAKER_GPU_ONLY)
    add_executable(saker src/app/main.cpp)
    target_link_libraries(saker PRIVATE saker_app)
endif()

if(SAKER_TESTS AND NOT SAKER_GPU_ONLY)
    file(GLOB test_lists CONFIGURE_DEPENDS tests/*/CMakeLists.txt)
    foreach(test_list ${test_lists})
        get_filename_component(test_folder ${test_list} DIRECTORY)
        add_subdirectory(${test_folder})
    endforeach()
endif()
if(SAKER_BENCH AND EXISTS ${CMAKE_SOURCE_DIR}/bench/CMakeLists.txt)
    add_subdirectory(bench)
endif()
# Times the cuda ops. A program of its own, since the preset gpu has no Google Benchmark.
if(SAKER_HAVE_CUDA)
    add_executable(cuda_bench bench/cuda_bench.cu)
    target_link_libraries(cuda_bench PRIVATE saker_ops)
    # The trial of stored orders for expert weights.
    add_executable(expert_layout bench/expert_layout.cu bench/expert_layout/grouped_fragment.cu
        bench/expert_layout/grouped_swizzled.cu)
    target_include_directories(expert_layout PRIVATE ${CMAKE_SOURCE_DIR})
    target_link_libraries(expert_layout PRIVATE saker_ops)
endif()
