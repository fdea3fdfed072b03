# kernels: OpenBLAS's are those of the processor even where OpenBLAS is older; the user's choice stays.
# QUICK
. "$(dirname "$0")/lib.sh"

grep -q ' avx2 .* fma \| fma .* avx2 ' /proc/cpuinfo || { echo "no AVX2"; exit 77; }
unset OPENBLAS_CORETYPE
expect 0 doctor
[ "$(field openblas_kernel)" != Prescott ] || fail "kernels without AVX"
export OPENBLAS_CORETYPE=Prescott
expect 0 doctor
is "$(field openblas_kernel)" Prescott "the user's choice"
finish
