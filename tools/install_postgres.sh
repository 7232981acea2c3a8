#!/bin/sh
# Install Debian's PostgreSQL for the tests and benchmarks of stores. They start servers of their own from its programs;
# the one that the package sets up is not used. Without it those tests are skipped.
set -eu

if [ -n "$(find /usr/lib/postgresql -path '*/bin/postgres' 2>/dev/null)" ] || command -v postgres >/dev/null; then
    echo "PostgreSQL is installed already"
    exit 0
fi
if ! command -v apt-get >/dev/null; then
    echo "skipped: no apt-get here; install PostgreSQL 13 or newer as your system does" >&2
    exit 0
fi
if [ "$(id -u)" -ne 0 ]; then
    echo "skipped: installing needs root; try: sudo $0" >&2
    exit 0
fi
export DEBIAN_FRONTEND=noninteractive
# No cluster of the system's own is made: nothing listens afterwards.
mkdir -p /etc/postgresql-common
[ -e /etc/postgresql-common/createcluster.conf ] || echo "create_main_cluster = false" > /etc/postgresql-common/createcluster.conf
apt-get install -qq --no-install-recommends postgresql >/dev/null
echo "PostgreSQL is installed"
