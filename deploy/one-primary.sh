#!/bin/bash
# Before PostgreSQL starts: exit code 1 where it would be a second primary, as when the machine of an old
# one comes back. PGDATA names its data folder, PEER the other machine's PostgreSQL, as in
# "host=db-2.example.org user=referral_network_replication"; the password stands in ~/.pgpass.
# Where the other one does not answer it may start: after a power cut both are down. It then takes no write
# that the other one does not have as well (synchronous_standby_names), whoever was promoted meanwhile.
set -euo pipefail
: "${PGDATA:?must name the data folder}" "${PEER:?must be the address of the other PostgreSQL}"

if [ -e "${PGDATA%/}.being-made" ]; then
	echo "PostgreSQL is not started: standby.sh was interrupted in $PGDATA. Run it again." >&2
	exit 1
fi
[ ! -f "$PGDATA/standby.signal" ] || exit 0
export PGCONNECT_TIMEOUT=5
other=$(psql "$PEER dbname=postgres" --no-psqlrc --no-password --quiet --tuples-only --no-align \
	--command "select pg_is_in_recovery()") || other=silent
if [ "$other" = f ]; then
	echo "PostgreSQL is not started: the other machine has the primary, and two would each have what the other does not. Make this one its standby: deploy/standby.sh --rejoin" >&2
	exit 1
fi
