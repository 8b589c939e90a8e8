#!/bin/bash
# Before PostgreSQL starts: exit code 1 where it would be a second primary, as when the machine of an old
# one comes back. PGDATA names its data folder, PEER the other machine's PostgreSQL, as in
# "host=db-2.example.org user=referral_network_replication"; the password stands in ~/.pgpass.
# Where nobody is there it may start: after a power cut both are down. It then takes no write that the
# other one does not have as well (synchronous_standby_names), whoever was promoted meanwhile; after
# "synchronous.sh off" it does, so keep a machine that died then from coming back.
set -euo pipefail
: "${PGDATA:?must name the data folder}" "${PEER:?must be the address of the other PostgreSQL}"

if [ -e "${PGDATA%/}.being-made" ]; then
	echo "PostgreSQL is not started: standby.sh was interrupted in $PGDATA. Run it again." >&2
	exit 1
fi
[ ! -f "$PGDATA/standby.signal" ] || exit 0
export PGCONNECT_TIMEOUT=5
# After a power cut both begin at once: one that recovers is waited for, since it may be the primary.
# Whether its certificate is right is for psql to find: pg_isready would take a wrong one for nobody.
address=$(sed -E "s/(^| )ssl(mode|negotiation|rootcert|crl|crldir)=('[^']*'|[^ ]*)//g" <<< "$PEER")
for _ in $(seq 60); do
	answer=0
	pg_isready --quiet --timeout=5 --dbname="$address dbname=postgres sslmode=prefer" || answer=$?
	[ "$answer" -eq 1 ] || break
	sleep 1
done
other=silent
if [ "$answer" -ne 1 ] && [ "$answer" -ne 2 ]; then
	other=$(psql "$PEER dbname=postgres" --no-psqlrc --no-password --quiet --tuples-only --no-align \
		--command "select pg_is_in_recovery()") || other=unknown
fi
case $other in
f)
	echo "PostgreSQL is not started: the other machine has the primary, and two would each have what the other does not. Make this one its standby: deploy/standby.sh --rejoin" >&2
	exit 1
	;;
unknown)
	echo "PostgreSQL is not started: the other machine's is there, and does not say whether it is the primary (its words are above). Put PEER or ~/.pgpass right." >&2
	exit 1
	;;
esac
