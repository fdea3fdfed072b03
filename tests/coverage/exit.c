/* exit.c - coverage: _exit() writes the counters too, as exit() does by itself. */
#include <gcov.h>

_Noreturn void __real__exit(int code);
_Noreturn void __wrap__exit(int code);

/* Linked with --wrap=_exit, so every call of _exit() comes here. */
void __wrap__exit(int code)
{
	__gcov_dump();
	__real__exit(code);
}
