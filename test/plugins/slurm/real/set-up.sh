#!/bin/sh
# Installs Slurm for the tests with a real slurmctld: Debian and Ubuntu, as root, within four minutes. Exit code 1, and
# a word that is hard to overlook: it could not be installed.
give_up() {
  printf '\n##### SLURM COULD NOT BE INSTALLED: %s.\n' "$1" >&2
  printf '##### The tests with a real slurmctld are SKIPPED.\n\n' >&2
  exit 1
}
[ -d /sys/fs/cgroup ] || give_up 'slurmd needs /sys/fs/cgroup'
command -v slurmctld >/dev/null && command -v slurmd >/dev/null && exit 0
command -v apt-get >/dev/null || give_up 'there is no apt-get'
[ "$(id -u)" = 0 ] || give_up 'it needs root'
export DEBIAN_FRONTEND=noninteractive
policy=/usr/sbin/policy-rc.d
get() {
  timeout -k 10 "$1" apt-get -qq -o Acquire::Retries=1 -o Acquire::http::Timeout=20 -o DPkg::Lock::Timeout=30 \
    "$2" ${3:+-y --no-install-recommends} ${3:-} </dev/null
}
get 60 update || give_up 'apt-get update failed'
# The services of the package are not used: every test starts its own. A policy that is there already stays.
if [ ! -e "$policy" ]; then
  trap 'rm -f "$policy"' EXIT
  trap 'exit 1' INT TERM
  printf '#!/bin/sh\nexit 101\n' >"$policy" && chmod +x "$policy"
fi
get 160 install slurm-wlm || give_up 'apt-get install slurm-wlm failed'
command -v slurmctld >/dev/null && command -v slurmd >/dev/null || give_up 'the package has no slurmctld and slurmd'
