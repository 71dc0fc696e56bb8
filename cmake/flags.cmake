# Compiler flags, sanitizers, the CUDA architectures, and the search for ccache.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})

find_program(SAKER_CCACHE ccache)
if(SAKER_CCACHE)
    set(CMAKE_CXX_COMPILER_LAUNCHER ${SAKER_CCACHE})
    set(CMAKE_CUDA_COMPILER_LAUNCHER ${SAKER_CCACHE})
endif()

# Warnings are errors, for nvcc too. A compiler newer than ours may warn of more: configure with
# --compile-no-warning-as-error there.
set(CMAKE_COMPILE_WARNING_AS_ERROR ON)
# No contraction, here and for nvcc: `ref` and the rounding map of bf16 need each product rounded on
# its own; kernels ask for fused multiply-add by name (hn::MulAdd, fmaf).
set(SAKER_WARNINGS -Wall -Wextra -Wshadow -Wnon-virtual-dtor -Wno-missing-field-initializers -Wno-restrict)
add_compile_options(
    "$<$<COMPILE_LANGUAGE:CXX>:${SAKER_WARNINGS};-ffp-contract=off;-fno-math-errno>")
# Run-time dispatch keeps what users' machines have: scalar, AVX2, AVX-512, AVX-512 with bf16.
# Threads do the same on every one of them, so the thread sanitizer has to see one alone.
if(SAKER_SANITIZE MATCHES thread)
    add_compile_definitions(HWY_COMPILE_ONLY_STATIC)
else()
    add_compile_definitions("HWY_DISABLED_TARGETS=(HWY_SSSE3|HWY_SSE4|HWY_AVX3_DL)")
endif()

if(SAKER_SANITIZE)
    add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:-fsanitize=${SAKER_SANITIZE};-fno-omit-frame-pointer>")
    add_link_options(-fsanitize=${SAKER_SANITIZE})
    if(SAKER_SANITIZE MATCHES undefined)
        add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:-fno-sanitize-recover=undefined>")
    endif()
else()
    add_compile_options("$<$<AND:$<COMPILE_LANGUAGE:CXX>,$<CONFIG:Release>>:-U_FORTIFY_SOURCE;-D_FORTIFY_SOURCE=2>")
    add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:-fstack-protector-strong>")
    add_link_options(-Wl,-z,relro,-z,now)
endif()

set(SAKER_HAVE_CUDA OFF)
if(NOT SAKER_CUDA STREQUAL "OFF")
    include(CheckLanguage)
    if(NOT CMAKE_CUDA_COMPILER AND EXISTS /usr/local/cuda/bin/nvcc)
        set(CMAKE_CUDA_COMPILER /usr/local/cuda/bin/nvcc)
    endif()
    check_language(CUDA)
    if(CMAKE_CUDA_COMPILER)
        # Machine code for Hopper with its own instructions (wgmma, setmaxnreg), and no PTX: nothing
        # older can run the kernels, and nothing newer takes sm_90a.
        if(NOT CMAKE_CUDA_ARCHITECTURES)
            set(CMAKE_CUDA_ARCHITECTURES 90a-real)
        endif()
        enable_language(CUDA)
        set(CMAKE_CUDA_STANDARD 20)
        set(CMAKE_CUDA_EXTENSIONS OFF)
        if(NOT CMAKE_CUDA20_STANDARD_COMPILE_OPTION)  # CMake 3.25 does not know that nvcc has it
            set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION "-std=c++20")
        endif()
        find_package(CUDAToolkit REQUIRED)
        set(SAKER_HAVE_CUDA ON)
        add_compile_options("$<$<COMPILE_LANGUAGE:CUDA>:-lineinfo;--fmad=false;--expt-relaxed-constexpr>")
        add_compile_options("$<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Wall,-Wextra,-Wno-missing-field-initializers>")
    elseif(SAKER_CUDA STREQUAL "ON")
        message(FATAL_ERROR "SAKER_CUDA=ON, but no CUDA compiler was found: put nvcc on PATH.")
    endif()
endif()
message(STATUS "CUDA backend: ${SAKER_HAVE_CUDA}")

# What tensor/exec.h's is_built() answers.
if(SAKER_GPU_ONLY)
    add_compile_definitions(SAKER_BUILT_CPU=false)
else()
    add_compile_definitions(SAKER_BUILT_CPU=true)
endif()
if(SAKER_HAVE_CUDA)
    add_compile_definitions(SAKER_BUILT_CUDA=true)
else()
    add_compile_definitions(SAKER_BUILT_CUDA=false)
endif()
