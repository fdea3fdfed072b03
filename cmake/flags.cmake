# How everything is compiled. Makefile.am and configure.ac say the same.
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
	set(CMAKE_BUILD_TYPE Release CACHE STRING "Release or Debug" FORCE)
endif()
set(CMAKE_C_STANDARD 11)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_C_FLAGS_RELEASE "-O3 -g1")
set(CMAKE_C_FLAGS_DEBUG "-O0 -g")

# No fused multiply-add, except in WIDE_FUSED functions (core/math/wide.h): results of all others do
# not depend on the processor.
add_compile_options(-ffp-contract=off)
# No code reads errno after a square root: loops over them become vector code.
add_compile_options(-fno-math-errno)
# GCC clears a struct of some lines by "rep stos", which takes several times as long as stores.
include(CheckCCompilerFlag)
check_c_compiler_flag(-mmemset-strategy=libcall:-1:noalign HAVE_MEMSET_STRATEGY)
if(HAVE_MEMSET_STRATEGY)
	add_compile_options(-mmemset-strategy=libcall:-1:noalign)
endif()
# No folder of the build is in what it makes: messages and debug information count from the sources.
add_compile_options("-ffile-prefix-map=${PROJECT_SOURCE_DIR}/=" "-ffile-prefix-map=${PROJECT_BINARY_DIR}=.")
add_compile_options(-Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla
	-Wdouble-promotion)
add_compile_definitions(_POSIX_C_SOURCE=200809L)

if(CONVOY_WERROR)
	add_compile_options(-Werror)
endif()
if(CONVOY_NATIVE)
	add_compile_options(-march=native)
endif()
if(CONVOY_KNL)
	add_compile_options(-march=knl -mtune=knl)
endif()
# Compiling takes longer than running here: optimise_what_computes() optimises some sources. For the
# quick tests, and for the half of ./dev test with sanitizers, these are only what tests repeat most.
set(COMPILE_LITTLE OFF)
if(CONVOY_SANITIZE OR CONVOY_QUICK OR CONVOY_COVERAGE)
	set(COMPILE_LITTLE ON)
	set(CMAKE_C_FLAGS_RELEASE "-O0 -g1")
endif()
function(optimise_what_computes)
	if(CONVOY_QUICK OR CONVOY_HALF)
		list(FILTER ARGN INCLUDE REGEX "^(core/(math|samples|engine|base|file/checked)|algos/codec|data|sim/events|delays)")
	endif()
	if(COMPILE_LITTLE)
		set_property(SOURCE ${ARGN} APPEND PROPERTY COMPILE_OPTIONS -O1)
	endif()
endfunction()
# Loops that are written as vectors, or of constant lengths, gain nothing from -O3, which takes up to
# ten times as long to compile.
if(CMAKE_BUILD_TYPE STREQUAL Release AND NOT COMPILE_LITTLE)
	set_property(SOURCE nets/onednn/simd/avx512.c nets/onednn/simd/avx2.c
		nets/onednn/simd/simd.c APPEND PROPERTY COMPILE_OPTIONS -O2)
	set_property(SOURCE algos/codec/fixed.c APPEND PROPERTY COMPILE_OPTIONS -O2 -ftree-vectorize)
endif()

# lld links in a fifth of the time. The program that users get is linked as theirs is.
include(CheckLinkerFlag)
check_linker_flag(C -fuse-ld=lld HAVE_LLD)
set(FAST_LINK "")
if(HAVE_LLD)
	set(FAST_LINK -fuse-ld=lld)
endif()
if(COMPILE_LITTLE)
	add_link_options(${FAST_LINK})
endif()

if(CONVOY_SANITIZE)
	add_compile_options(-fsanitize=address,undefined -fno-sanitize-recover=all
		-fno-omit-frame-pointer)
	add_link_options(-fsanitize=address,undefined)
	# The loops of wino/bf16.c are those of f32.c, and checking them twice takes 20 s.
	set_property(SOURCE nets/onednn/wino/bf16.c APPEND PROPERTY
		COMPILE_OPTIONS -fno-sanitize=undefined)
	# Half of the time to compile those of nets/onednn, and to draw a random number; what such a
	# pointer reads, the address sanitizer checks.
	set_property(SOURCE nets/onednn/simd/avx512.c nets/onednn/simd/avx2.c
		nets/onednn/simd/simd.c nets/onednn/wino/f32.c nets/onednn/wino/avx2.c
		core/math/rng.c nets/reference/product.c APPEND PROPERTY
		COMPILE_OPTIONS -fno-sanitize=pointer-overflow)
endif()

# Threads count without losing lines; fork() and exec() write the counters (gnu11 knows them), and
# _exit() by tests/coverage/exit.c.
if(CONVOY_COVERAGE)
	set(CMAKE_C_EXTENSIONS ON)
	add_compile_options(--coverage -fprofile-update=prefer-atomic)
	add_link_options(--coverage -Wl,--wrap=_exit)
endif()
