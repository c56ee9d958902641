#!/bin/sh
# Installs Slurm for the tests with a real slurmctld: Debian and Ubuntu. Needs root.
set -e
command -v slurmctld >/dev/null && command -v slurmd >/dev/null && exit 0
export DEBIAN_FRONTEND=noninteractive
apt-get update -qq
# The services of the package are not used: every test starts its own.
printf '#!/bin/sh\nexit 101\n' >/usr/sbin/policy-rc.d && chmod +x /usr/sbin/policy-rc.d
apt-get install -y -qq slurm-wlm
rm -f /usr/sbin/policy-rc.d
