/* Random123/philox.h - the library's own, which knows RISC-V but not WebAssembly. */
#define __riscv 1
#include_next <Random123/philox.h>
#undef __riscv
