# TIMEOUT 1200
# LABEL long
# COST 300
# PROCESSORS 2
# The experiments that test_run_all_smoke.sh leaves out.
all_others=yes
. "$(dirname "$0")/test_run_all_smoke.sh"
