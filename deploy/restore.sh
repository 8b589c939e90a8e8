#!/bin/bash
# Restore a backup into the empty database at DATABASE_URL: restore.sh FILE
# Completely or not at all. Prints what it restored, and whether the ledger is consistent.
set -euo pipefail
: "${DATABASE_URL:?must name an empty database}"
file=${1:?say which backup is to be restored}
product=$(cd "$(dirname "$0")/.." && pwd)
source "$(dirname "$0")/database-address.sh"

ask() {
	psql "$address" --no-psqlrc --quiet --tuples-only --no-align --set=ON_ERROR_STOP=1 "$@"
}
say() {
	printf '%-8s  %s\n' "$1" "$2"
}

tables=$(ask --command \
	"select count(*) from pg_tables where schemaname not in ('pg_catalog', 'information_schema')")
if [ "$tables" -ne 0 ]; then
	echo "The database at DATABASE_URL is not empty. Create a new one to restore into." >&2
	exit 1
fi
refused=$(ask <<'SQL'
select format('The role "%s" does not own the database "%s", so nothing was restored. As a superuser: alter database %2$I owner to %1$I',
	current_user, current_database())
from pg_database where datname = current_database() and not pg_has_role(datdba, 'usage');
SQL
)
if [ -n "$refused" ]; then
	echo "$refused" >&2
	exit 1
fi
list=$(pg_restore --list "$file")
pg_restore --dbname="$address" --no-owner --no-privileges --exit-on-error --single-transaction "$file"
# Analyze what the role may, without a warning for each system table that it may not.
ask --command "set client_min_messages = error" --command analyze

told() {
	printf '%s\n' "$list" | sed -n "s/^; *$1: *//p; s/^; *$1 at //p"
}
echo "Restored $file"
say made "$(told 'Archive created'), of the database $(told dbname), PostgreSQL $(told 'Dumped from database version')"
# shellcheck disable=SC2016 # the backquotes are psql's
say into "$(ask <<'SQL'
select :'DBNAME' || ' at ' || :'HOST' || ':' || :'PORT' || ', PostgreSQL ' || current_setting('server_version');
SQL
)"
if [ "$(ask --command "select to_regclass('public.networks') is null")" = t ]; then
	echo "It is not a Referral Network database: it has no networks." >&2
	exit 1
fi
say version "$(ask --command "select max(name) from public.migrations where name not like 'rules/%'")"
say holds "$(ask <<'SQL'
select string_agg(what || ' ' || to_char(count, 'FM999,999,999,990'), ', ' order by place) from (
	select 1 as place, 'networks' as what, count(*) from networks
	union all select 2, 'attorneys', count(*) from attorneys
	union all select 3, 'referrals', count(*) from matters
	union all select 4, 'debits', count(*) from debits
	union all select 5, 'payments', count(*) from payments
) as counted;
SQL
)"

# A command would migrate the database first, which is not a restore's decision. A version's rules are recorded by
# their checksum (src/kit/db/rules.ts): of the files in order of name.
rules() {
	between=
	for file in $(cd "$product/rules" && ls ./*.sql | LC_ALL=C sort); do
		printf %s "$between"
		cat "$product/rules/$file"
		between=$'\n'
	done | tr -d '\r' | sha256sum | cut -d ' ' -f 1
}
here=$({ (cd "$product/migrations" && ls ./*.sql | sed 's,^\./,,'); rules; } | LC_ALL=C sort)
applied=$(ask <<'SQL' | LC_ALL=C sort
select name from public.migrations where name not like 'rules/%'
union all
(select to_jsonb(m) ->> 'checksum' from public.migrations m where name like 'rules/%' order by name desc limit 1);
SQL
)
node="$product/node_modules/.bin/node"
# Other variables in the servers' environment may name the database in use.
verify() (
	unset DATABASE_DIRECT_URL MIGRATE_DATABASE_URL
	APP_SECRET=${APP_SECRET:-"not needed to verify the ledger of a database"} \
		"$node" "$product/src/main/cli.ts" verify-ledger
)
if [ "$here" != "$applied" ]; then
	say ledger "not verified: another version made the backup. Start that one, or upgrade with this one, and run verify-ledger"
elif ! [ -x "$node" ]; then
	say ledger "not verified: run \"npm run cli -- verify-ledger\""
elif verdict=$(verify); then
	say ledger "$(printf '%s\n' "$verdict" | tail -n 1)"
else
	say ledger "$(printf '%s\n' "${verdict:-not verified}" | tail -n 1)"
	printf '%s\n' "$verdict" >&2
	exit 1
fi
