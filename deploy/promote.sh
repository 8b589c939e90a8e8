#!/bin/bash
# Make the standby of this machine the primary. Run it as a superuser of PostgreSQL (the user "postgres"):
#   promote.sh [--fence COMMAND] [--other ADDRESS]... [--force] [--dry-run]
# It is refused while the old primary still answers: two that take writes would each have what the other
# does not.
#   --fence COMMAND   cuts the old primary off first, such as "ssh db-1 sudo systemctl stop postgresql",
#                     or what switches that machine off; afterwards it must not answer any more
#   --other ADDRESS   of each other standby: whichever has received most is the one to promote
#   --force           also though the old primary answers, or another standby does not or is ahead, or this
#                     one does not stream
#   --dry-run         says what would be done
# PGHOST, PGPORT and PGUSER name the standby where these are not the usual ones. Exit code 0: it takes writes.
set -euo pipefail

usage() {
	echo "Usage: promote.sh [--fence COMMAND] [--other ADDRESS]... [--force] [--dry-run]" >&2
	exit 2
}
refuse() {
	echo "$1" >&2
	exit 1
}
say() {
	printf '%-10s %s\n' "$1" "$2"
}

fence=
force=
dry_run=
others=()
while [ $# -gt 0 ]; do
	case $1 in
	--fence) fence=${2:?"--fence needs a command."} && shift ;;
	--other) others+=("${2:?"--other needs an address."}") && shift ;;
	--force) force=yes ;;
	--dry-run) dry_run=yes ;;
	*) usage ;;
	esac
	shift
done
export LC_ALL=C PGCONNECT_TIMEOUT=3

query() {
	psql --dbname="$1" --no-psqlrc --quiet --tuples-only --no-align --set=ON_ERROR_STOP=1 --command "$2"
}
ask() {
	query postgres "$1"
}
primary_answers() {
	# 2 is nobody, 3 is an address that makes no sense; who is starting or refuses us is there. So is one
	# whose certificate has expired, which would look like nobody: it is not looked at.
	local address
	answer=0
	address=$(sed -E "s/(^| )ssl(mode|negotiation|rootcert|crl|crldir)=('[^']*'|[^ ]*)//g" <<< "$primary")
	pg_isready --quiet --timeout=3 --dbname="$address dbname=postgres sslmode=prefer" || answer=$?
	[ "$answer" -ne 3 ] || refuse "The address of the old primary makes no sense: $primary"
	[ "$answer" -ne 2 ]
}

in_recovery=$(ask "select pg_is_in_recovery()") || refuse "PostgreSQL does not answer here: start the standby first."
[ "$in_recovery" = t ] || refuse "This server is a primary already: nothing was done."
primary=$(ask "select current_setting('primary_conninfo')") ||
	refuse "Run this as a superuser of PostgreSQL: it has to read and change settings."
[ -n "$primary" ] || refuse "This server follows nobody (primary_conninfo is empty): it was not made by standby.sh."
without_password=$(sed -E "s/password=('[^']*'|[^ ]*)//" <<< "$primary")

received="coalesce(greatest(pg_last_wal_receive_lsn(), pg_last_wal_replay_lsn()), '0/0')"
compare_with_others() {
	local other theirs behind
	for other in ${others[@]+"${others[@]}"}; do
		if ! theirs=$(query "$other dbname=postgres" "select case when pg_is_in_recovery() then $received end"); then
			[ -n "$force" ] || refuse "The other standby does not answer ($other), and may have received more: nothing was promoted."
			continue
		fi
		[ -n "$theirs" ] || refuse "The other one ($other) is a primary already: nothing was promoted. Have this one follow it: deploy/standby.sh --rejoin"
		behind=$(ask "select greatest(0, pg_wal_lsn_diff('$theirs', $received))")
		[ "$behind" = 0 ] || [ -n "$force" ] ||
			refuse "The other standby ($other) has received $behind bytes more: promote that one. Nothing was promoted."
	done
}

answers=no
if primary_answers; then answers=yes; fi
# One that is stopped properly hands over only to who listens.
if [ "$answer" -eq 0 ] && [ -n "$fence" ] && [ -z "$force" ]; then
	[ "$(ask "select count(*) from pg_stat_wal_receiver where status = 'streaming'")" -gt 0 ] ||
		refuse "This standby does not stream from the primary, which answers: it would lack what was written since. See to that first (deploy/standby.sh), or promote it all the same with --force. Nothing was promoted."
fi
if [ -n "$dry_run" ]; then
	say "primary" "$([ $answers = yes ] && echo answers || echo "does not answer"): $without_password"
	if [ -n "$fence" ]; then
		say "would" "run: $fence"
	elif [ $answers = yes ] && [ -z "$force" ]; then
		refuse "Would be refused: the old primary still answers."
	fi
	# While it is not cut off yet, who has received more changes from moment to moment.
	[ -n "$fence" ] || compare_with_others
	say "would" "promote this standby, with nobody for its commits to wait for"
	exit 0
fi
if [ -n "$fence" ]; then
	bash -c "$fence" || refuse "The command of --fence failed: nothing was promoted."
	if primary_answers; then
		[ -n "$force" ] || refuse "The old primary still answers after --fence: nothing was promoted."
		say "fenced" "though the old primary still answers"
	else
		say "fenced" "by: $fence"
	fi
elif [ $answers = yes ] && [ -z "$force" ]; then
	refuse "The old primary still answers ($without_password): stop it, or cut it off with --fence COMMAND. Nothing was promoted."
fi

compare_with_others
# The one to wait for would be the machine that is gone.
ask "alter system set synchronous_standby_names = ''" > /dev/null
ask "select pg_reload_conf()" > /dev/null
promoted=$(ask "select pg_promote(true, 60)")
[ "$promoted" = t ] || refuse "It has not become a primary within 60 seconds: look at PostgreSQL's log."
[ "$(ask "select not pg_is_in_recovery() and current_setting('transaction_read_only') = 'off'")" = t ] ||
	refuse "It was promoted, but is set to take no writes (default_transaction_read_only)."
# pg_rewind, by which the old primary comes back, reads the timeline where a checkpoint writes it.
ask "checkpoint" > /dev/null
# Only now has it replayed all that it had received.
last=$(ask "select coalesce(to_char(pg_last_xact_replay_timestamp() at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS') || ' UTC, '
	|| round(extract(epoch from now() - pg_last_xact_replay_timestamp())) || ' s ago', 'none since it was started')")
say "last" "transaction received: $last"
say "promoted" "it takes writes, on timeline $(ask "select ('x' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8))::bit(32)::int")"
say "alone" "what is acknowledged from now on is on this machine only: bring the other back with deploy/standby.sh, then deploy/synchronous.sh on"
