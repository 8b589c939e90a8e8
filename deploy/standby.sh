#!/bin/bash
# Make the PostgreSQL of this machine the standby of a primary:
#   standby.sh --primary "host=db-1.example.org user=referral_network_replication sslmode=verify-full" --name db_2
# PGDATA names its data folder. Run it as the user who owns that folder, with PostgreSQL stopped; start
# PostgreSQL afterwards. The password stands in ~/.pgpass. --name is this machine's own: of its slot,
# and of the standby in synchronous_standby_names.
#   an empty folder        a copy of the primary is made
#   a standby's folder     it follows this primary from now on
#   an old primary's       is refused without one of
#     --rejoin             pg_rewind takes back what it did and the new primary does not have; where commits
#                          waited for nobody when it stopped, only with --force: people were told of them
#     --anew               a new copy is made; the old folder is kept beside it
#   --dry-run              says what would be done
# PGCONFIG names postgresql.conf where it is not in PGDATA (Debian: /etc/postgresql/18/main/postgresql.conf).
# SELF is where the PostgreSQL of this folder answers, if it may run in another container ("host=database").
# Safe to repeat, also after it was interrupted. Exit code 0: it can be started, or runs already.
set -euo pipefail

usage() {
	echo "Usage: standby.sh --primary ADDRESS --name NAME [--rejoin [--force] | --anew] [--dry-run]" >&2
	exit 2
}
refuse() {
	echo "$1" >&2
	exit 1
}
say() {
	printf '%s\n' "$1"
}

primary=
name=
way=
force=
dry_run=
while [ $# -gt 0 ]; do
	case $1 in
	--primary) primary=${2:?"--primary needs an address."} && shift ;;
	--name) name=${2:?"--name needs a name."} && shift ;;
	--rejoin | --anew)
		[ -z "$way" ] || refuse "Give one of --rejoin and --anew."
		way=${1#--}
		;;
	--force) force=yes ;;
	--dry-run) dry_run=yes ;;
	*) usage ;;
	esac
	shift
done
[ -n "$primary" ] && [ -n "$name" ] || usage
: "${PGDATA:?must name the data folder}"
PGDATA=${PGDATA%/}
[[ $PGDATA == /?* ]] || refuse "PGDATA must be the whole path of the data folder."
[[ $name =~ ^[a-z][a-z0-9_]{0,62}$ ]] ||
	refuse "A name has small letters, digits and _ only, and begins with a letter: \"$name\" does not."
case $primary in
*password=* | *://*) refuse "Give the primary as \"host=… user=…\" without a password: that belongs into ~/.pgpass, where nobody sees it." ;;
*\'* | *\\*) refuse "The primary's address can have neither quotes nor backslashes." ;;
esac
for program in pg_basebackup pg_controldata pg_ctl pg_rewind psql; do
	command -v "$program" > /dev/null ||
		refuse "\"$program\" was not found: add the folder of PostgreSQL's server programs to PATH (Debian: /usr/lib/postgresql/18/bin)."
done
# pg_ctl tells root nothing: a server that runs would look like one that does not.
[ "$(id -u)" -ne 0 ] || refuse "Run it as the user who owns $PGDATA (postgres), not as root."
export LC_ALL=C PGCONNECT_TIMEOUT=10
unset PGHOST PGPORT PGUSER PGDATABASE PGSERVICE
address="$primary application_name=$name"
half_made="$PGDATA.being-made" # one-primary.sh has PostgreSQL not start meanwhile
# What was begun before: "copy", "rejoin" until pg_rewind is done, then "rewound" until the standby may start.
begun=
if [ -e "$half_made" ]; then begun=$(cat "$half_made"); fi

ask_primary() {
	psql "$primary dbname=postgres" --no-psqlrc --quiet --tuples-only --no-align --set=ON_ERROR_STOP=1 --command "$1"
}
state_of_folder() {
	# A server that was started on it since has left its options there: it is no mere piece of a copy.
	if [ "$begun" = copy ] && [ ! -e "$PGDATA/postmaster.opts" ]; then
		echo "half made"
	elif [ ! -e "$PGDATA" ] || [ -z "$(ls -A "$PGDATA")" ]; then
		echo empty
	elif [ ! -f "$PGDATA/global/pg_control" ]; then
		echo unknown
	elif [ -f "$PGDATA/standby.signal" ]; then
		echo standby
	else
		echo primary
	fi
}
is_running() {
	[ -f "$PGDATA/postmaster.pid" ] || return 1
	if pg_ctl status --pgdata="$PGDATA" > /dev/null 2>&1; then return 0; fi
	# The process of another container cannot be seen from here, but it answers where SELF leads.
	[ -n "${SELF-}" ] || return 1
	pg_isready --quiet --timeout=3 --dbname="$SELF" || [ $? -eq 1 ]
}

state=$(state_of_folder)
[ "$state" != unknown ] || refuse "The folder $PGDATA is neither empty nor PostgreSQL's: choose another, or empty it."
is_primary=$(ask_primary "select not pg_is_in_recovery()") ||
	refuse "The primary does not answer at \"$primary\": a standby is made from a primary that runs."
[ "$is_primary" = t ] || refuse "The server at \"$primary\" is a standby itself: give the address of the primary."
system=$(psql "$primary dbname=postgres replication=true" --no-psqlrc --quiet --tuples-only --no-align \
	--command "IDENTIFY_SYSTEM" | cut -d '|' -f 1)
if [ "$state" = standby ] || [ "$state" = primary ]; then
	here=$(pg_controldata "$PGDATA" | sed -n 's/^Database system identifier: *//p')
	[ "$here" = "$system" ] ||
		refuse "The folder $PGDATA holds another database than the primary's: nothing of it is touched."
fi
streaming=$(ask_primary "select (select count(*) from pg_stat_replication where application_name = '$name')
	+ (select count(*) from pg_replication_slots where slot_name = '$name' and active)")
if is_running; then
	if [ "$state" = standby ] && [ "$streaming" -gt 0 ]; then
		say "$name is a standby of \"$primary\" already, and streams."
		exit 0
	fi
	refuse "PostgreSQL runs in $PGDATA: stop it first."
fi
[ "$streaming" -eq 0 ] || refuse "A standby named \"$name\" streams from the primary already, or is being copied: wait for that, or choose another name."
if [ "$state" = primary ] && [ -z "$way" ]; then
	refuse "The folder $PGDATA was a primary's. With --rejoin what it did and the new primary does not have is taken back; with --anew it is kept aside and copied anew."
fi
# Not again: pg_rewind, once begun, may have replaced the old primary's settings by the new one's.
if [ "$state" = primary ] && [ "$way" = rejoin ] && [ -z "$force" ] && [ "$begun" != rejoin ]; then
	waited_for=$(sed -n "s/^synchronous_standby_names *= *'\(.*\)'/\1/p" "$PGDATA/postgresql.auto.conf" | tail -n 1)
	[ -n "$waited_for" ] ||
		refuse "Commits waited for nobody in $PGDATA when it stopped: what it acknowledged alone would be taken back for good. --anew keeps it aside; --rejoin --force takes it back."
fi
case $state in
empty | "half made") way=copy ;;
standby)
	# It was a standby before pg_rewind, too, which was interrupted: what is half taken back cannot follow.
	if [ "$begun" = rejoin ]; then way=${way:-rejoin}; fi
	# What pg_rewind has taken back it refuses to do again, until the standby has been started.
	if [ "$begun" = rewound ] && [ "$way" = rejoin ] && [ -f "$PGDATA/backup_label" ]; then way=follow; fi
	way=${way:-follow}
	;;
esac

slot=$(ask_primary "select coalesce(max(wal_status), '') from pg_replication_slots where slot_name = '$name'")
if [ "$slot" = lost ] && [ "$way" = follow ]; then
	refuse "The primary has no longer kept what this standby has not fetched: --anew copies it again."
fi

if [ -n "$dry_run" ]; then
	case $way in
	copy) say "Would copy the primary's database into $PGDATA." ;;
	follow) say "Would have the standby in $PGDATA follow \"$primary\"." ;;
	anew) say "Would move $PGDATA aside and copy the primary's database into it." ;;
	rejoin)
		say "Would take back in $PGDATA, by pg_rewind, what the primary does not have."
		say "If that is not possible, pg_rewind says why, and --anew is left."
		;;
	esac
	say "Would use the replication slot \"$name\" on the primary, made if it is not there."
	exit 0
fi

if [ "$slot" = lost ]; then ask_primary "select pg_drop_replication_slot('$name')" > /dev/null; fi
# The primary keeps from now on what this standby has not fetched.
ask_primary "select pg_create_physical_replication_slot('$name', true)
	where not exists (select from pg_replication_slots where slot_name = '$name')" > /dev/null

copy() {
	if [ -e "$half_made" ] && [ -e "$PGDATA" ]; then
		find "$PGDATA" -mindepth 1 -delete # of a copy that was interrupted
	fi
	mkdir -p "$(dirname "$PGDATA")"
	begun=copy
	echo $begun > "$half_made"
	# Not by the standby's name: commits would wait for the copy, of which nothing can be had until it is whole.
	pg_basebackup --pgdata="$PGDATA" --dbname="$primary" --slot="$name" --wal-method=stream \
		--checkpoint=fast --write-recovery-conf --no-password
	chmod 700 "$PGDATA" # it may have been there, open to others: PostgreSQL would not start
}
# The first file of log that it will ask the primary for, without its timeline.
first_needed() {
	if [ -f "$PGDATA/backup_label" ]; then
		sed -n 's/^START WAL LOCATION: .*(file [0-9A-F]\{8\}\([0-9A-F]\{16\}\))$/\1/p' "$PGDATA/backup_label"
		return
	fi
	# pg_rewind had nothing to take back. An old primary has the log until its last checkpoint, where it was
	# stopped; a standby has more than that: at least until where it would let itself be read again.
	local control checkpoint minimum size until
	control=$(pg_controldata "$PGDATA")
	checkpoint=$(sed -n "s/^Latest checkpoint's REDO WAL file: *[0-9A-F]\{8\}//p" <<< "$control")
	minimum=$(sed -n 's/^Minimum recovery ending location: *//p' <<< "$control")
	size=$(sed -n 's/^Bytes per WAL segment: *//p' <<< "$control")
	until=$(printf '%08X%08X' "$((16#${minimum%/*}))" "$((16#${minimum#*/} / size))")
	if [[ $until > $checkpoint ]]; then echo "$until"; else echo "$checkpoint"; fi
}
follow() {
	# Slots of its time as a primary would keep their log for ever.
	find "$PGDATA/pg_replslot" -mindepth 1 -delete
	local settings="$PGDATA/postgresql.auto.conf"
	{
		sed '/^primary_conninfo *=/d; /^primary_slot_name *=/d; /^synchronous_standby_names *=/d' "$settings"
		printf "primary_conninfo = '%s'\nprimary_slot_name = '%s'\n" "$address" "$name"
	} > "$settings.new"
	mv "$settings.new" "$settings"
	: > "$PGDATA/standby.signal"
	sync
	rm -f "$half_made"
}

case $way in
copy)
	copy
	say "The primary's database was copied into $PGDATA."
	;;
anew)
	aside="$PGDATA.before-$(date -u +%Y-%m-%dT%H%M%SZ)"
	mv "$PGDATA" "$aside" || refuse "$PGDATA could not be moved aside: move what it holds elsewhere, then run this again."
	copy
	say "The primary's database was copied into $PGDATA. What was there is in $aside: remove it once nobody misses anything."
	;;
rejoin)
	echo rejoin > "$half_made"
	# Nobody runs there. A server that died in a container left the number 1, which in the next one is this script's.
	rm -f "$PGDATA/postmaster.pid"
	pg_rewind --target-pgdata="$PGDATA" --source-server="$primary dbname=postgres" \
		--write-recovery-conf ${PGCONFIG:+--config-file="$PGCONFIG"} >&2 ||
		refuse "pg_rewind could not bring $PGDATA back: its own words are above. --anew copies the primary instead."
	begun=rewound
	echo $begun > "$half_made"
	;;
esac
if [ "$begun" = rewound ]; then
	needed=$(first_needed)
	oldest=$(ask_primary "select min(substr(name, 9)) from pg_ls_waldir() where name ~ '^[0-9A-F]{24}\$'")
	[[ ! $oldest > $needed ]] ||
		refuse "The primary has removed log since the two parted, which this standby would wait for in vain: --anew copies it instead."
	say "What the primary does not have was taken back in $PGDATA."
fi
follow
say "$name is a standby of \"$primary\". Start PostgreSQL; then on the primary: deploy/synchronous.sh on $name"
