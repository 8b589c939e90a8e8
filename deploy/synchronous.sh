#!/bin/bash
# Whom commits wait for on the primary. Run it there as a superuser of PostgreSQL (the user "postgres"):
#   synchronous.sh on NAME...   a commit is acknowledged once any one of these standbys has it on disk
#   synchronous.sh off          commits wait for nobody: what is acknowledged is on this machine only
#   synchronous.sh              says how it is
# --dry-run says what would be done. "on" is refused while none of the standbys streams: every write would
# wait. "off" is for when no standby is left: it lets through what waits.
set -euo pipefail

usage() {
	echo "Usage: synchronous.sh [--dry-run] [on NAME... | off]" >&2
	exit 2
}
refuse() {
	echo "$1" >&2
	exit 1
}

dry_run=
words=()
for word in "$@"; do
	case $word in
	--dry-run) dry_run=yes ;;
	--*) usage ;;
	*) words+=("$word") ;;
	esac
done
set -- ${words[@]+"${words[@]}"}
export LC_ALL=C PGCONNECT_TIMEOUT=10

ask() {
	psql --dbname=postgres --no-psqlrc --quiet --tuples-only --no-align --set=ON_ERROR_STOP=1 --command "$1"
}
tell() {
	local names
	names=$(ask "select current_setting('synchronous_standby_names')")
	echo "commits    wait for ${names:-nobody}"
	ask "select 'standby    ' || application_name || ': ' || state || ', ' || sync_state || ', '
		|| pg_wal_lsn_diff(pg_current_wal_lsn(), coalesce(flush_lsn, '0/0')) || ' bytes behind'
		from pg_stat_replication order by application_name"
	ask "select 'waiting    ' || count(*) || ' commits for a standby' from pg_stat_activity where wait_event = 'SyncRep'"
}
change() {
	if [ -n "$dry_run" ]; then
		echo "Would set synchronous_standby_names to '$1'."
		exit 0
	fi
	# Written to a file of the server's: this waits for nobody.
	ask "alter system set synchronous_standby_names = '$1'" > /dev/null
	ask "select pg_reload_conf()" > /dev/null
	for _ in $(seq 50); do
		[ "$(ask "select current_setting('synchronous_standby_names')")" != "$1" ] || return 0
		sleep 0.1
	done
	refuse "The server has not taken the setting over: look at its log."
}

in_recovery=$(ask "select pg_is_in_recovery()") || refuse "PostgreSQL does not answer here."
[ "$in_recovery" = f ] || refuse "This server is a standby: run this on the primary."
case ${1:-} in
on)
	shift
	[ $# -gt 0 ] || usage
	streams=0
	for name in "$@"; do
		[[ $name =~ ^[a-z][a-z0-9_]{0,62}$ ]] || refuse "\"$name\" is no name that standby.sh takes."
		streams=$((streams + $(ask "select count(*) from pg_stat_replication where application_name = '$name' and state = 'streaming'")))
	done
	[ "$streams" -gt 0 ] || refuse "No standby named $* streams: every write would wait. Start it first."
	list=$(printf ', %s' "$@")
	change "ANY 1 (${list:2})"
	# Commits wait once the checkpointer has read it too, which it does before it begins one.
	ask checkpoint > /dev/null
	;;
off)
	[ $# -eq 1 ] || usage
	change ""
	;;
"") ;;
*) usage ;;
esac
tell
