#!/bin/sh
# Put a backup into the empty database at DATABASE_URL: restore.sh FILE
# All of it or nothing. Then bring it up to date and check it: npm run cli -- verify-ledger
set -eu
: "${DATABASE_URL:?must name an empty database}"
file=${1:?say which backup is to be restored}

tables=$(psql "$DATABASE_URL" --no-psqlrc --tuples-only --no-align --command \
	"select count(*) from pg_tables where schemaname not in ('pg_catalog', 'information_schema')")
if [ "$tables" -ne 0 ]; then
	echo "The database at DATABASE_URL is not empty: make a new one to restore into." >&2
	exit 1
fi
pg_restore --dbname="$DATABASE_URL" --no-owner --no-privileges --exit-on-error --single-transaction "$file"
psql "$DATABASE_URL" --no-psqlrc --quiet --command analyze
