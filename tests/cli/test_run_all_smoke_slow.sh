# TIMEOUT 1200
# LABEL long
# COST 300
# PROCESSORS 2
# The experiments that test_run_all_smoke.sh leaves out.
slow_ones=yes
. "$(dirname "$0")/test_run_all_smoke.sh"
