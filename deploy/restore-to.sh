#!/bin/bash
# Bring a server back to a moment, into a new folder, beside whatever runs:
#   restore-to.sh --base FOLDER --wal ARCHIVE --to '2026-11-21 14:05:00+00' --data NEWFOLDER [--port 5433]
#                 [--skip-ids 1000000] [--dry-run]
# With --to latest it goes as far as the archive does. FOLDER is what base-backup.sh fills. Run it as the
# user postgres. Nothing is changed but NEWFOLDER. Ends with 0 when the moment was reached and the server
# is open for writing, with 1 and a sentence when it was not.
set -euo pipefail
export TZ=UTC LC_ALL=C.UTF-8
# Those lead to the old server, and PostgreSQL itself would read some of them.
unset PGHOST PGHOSTADDR PGPORT PGSERVICE PGSSLMODE PGTARGETSESSIONATTRS PGOPTIONS PGDATA

fail() {
	echo "$1" >&2
	exit 1
}
base=
wal=
to=
data=
port=5433
skip=1000000
dry_run=
while [ $# -gt 0 ]; do
	case $1 in
	--base | --wal | --to | --data | --port | --skip-ids)
		[ $# -gt 1 ] || fail "$1 needs a value."
		case $1 in
		--base) base=$2 ;;
		--wal) wal=$2 ;;
		--to) to=$2 ;;
		--data) data=$2 ;;
		--port) port=$2 ;;
		--skip-ids) skip=$2 ;;
		esac
		shift
		;;
	--dry-run) dry_run=yes ;;
	*) fail "There is no option $1: restore-to.sh --base FOLDER --wal ARCHIVE --to TIMESTAMP|latest --data NEWFOLDER [--port 5433] [--skip-ids 1000000] [--dry-run]." ;;
	esac
	shift
done
[ -n "$base" ] && [ -n "$wal" ] && [ -n "$to" ] && [ -n "$data" ] ||
	fail "Say from what, to when and where: restore-to.sh --base FOLDER --wal ARCHIVE --to TIMESTAMP|latest --data NEWFOLDER."
[ "$(id -u)" -ne 0 ] || fail "Run it as the user postgres: PostgreSQL does not run as root."
[[ $port =~ ^[1-9][0-9]{0,4}$ ]] || fail "--port is a number."
[[ $skip =~ ^[0-9]{1,12}$ ]] || fail "--skip-ids is a number, 0 or more."
[ -d "$base" ] || fail "The folder of base backups $base is not there."
[ -d "$wal" ] || fail "The archive $wal is not there."
base=$(realpath "$base")
wal=$(realpath "$wal")
data=$(realpath --canonicalize-missing "$data")
[[ $wal =~ ^[A-Za-z0-9_./:@+-]+$ ]] || fail "The path of the archive holds signs that recovery cannot be told of: $wal."
[ -d "${data%/*}" ] || fail "The folder ${data%/*} is not there."
if [ -e "$data" ]; then
	[ -d "$data" ] && [ -z "$(ls -A "$data")" ] || fail "$data is there already: name a new folder."
fi
if (exec 8<> "/dev/tcp/127.0.0.1/$port") 2> /dev/null; then fail "Something listens on port $port already: choose another one with --port."; fi

# The newest base backup that was complete by then. Its name is the first moment that it can be brought to.
backups=$(find "$base" -mindepth 1 -maxdepth 1 -type d -name '????-??-??T??????Z' -printf '%f\n' | LC_ALL=C sort)
[ -n "$backups" ] || fail "There is no base backup in $base."
if [ "$to" = latest ]; then
	chosen=$(tail -n 1 <<< "$backups")
else
	[[ $to =~ ^[0-9]{4}-[0-9]{2}-[0-9]{2}[\ T][0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]{1,6})?)?\ ?(Z|[+-][0-9]{2}(:?[0-9]{2})?)$ ]] ||
		fail "--to is a moment with its time zone, such as '2026-11-21 14:05:00+00', or latest: \"$to\" is neither."
	by=$(date --date "$to" +%Y-%m-%dT%H%M%SZ) || fail "\"$to\" is no moment."
	chosen=$(LC_ALL=C awk -v by="$by" '$0 <= by' <<< "$backups" | tail -n 1)
	[ -n "$chosen" ] ||
		fail "The moment $to lies before the end of the oldest base backup, $(head -n 1 <<< "$backups"): nothing leads back to it."
fi
backup="$base/$chosen"
[ -z "$(find "$backup/pg_tblspc" -type l 2> /dev/null)" ] ||
	fail "The base backup $chosen has tablespaces outside of its folder, perhaps those of the server that runs: it is not restored."
version=$(cat "$backup/PG_VERSION")
for programs in "${PG_BIN:-}" "/usr/lib/postgresql/$version/bin" "/usr/pgsql-$version/bin"; do
	if [ -x "$programs/pg_ctl" ]; then
		PATH=$programs:$PATH
		break
	fi
done
for program in pg_ctl pg_verifybackup pg_waldump pg_controldata; do
	command -v "$program" > /dev/null || fail "$program of PostgreSQL $version is not found: set PG_BIN to the folder of its programs."
done
[ "$(pg_ctl --version | sed 's/.* \([0-9]*\)[.a-z].*/\1/')" = "$version" ] ||
	fail "The base backup is of PostgreSQL $version, and $(command -v pg_ctl) is not: set PG_BIN to the folder of its programs."

# How far the archive leads: the last transaction in its last files that have one.
scratch=$(mktemp --directory)
started=
finished=
leave() {
	rm -rf "$scratch"
	# One of which it is not known that it is right does not stay.
	if [ -n "$started" ] && [ -z "$finished" ]; then pg_ctl stop --silent --mode=immediate --pgdata="$data" > /dev/null 2>&1 || true; fi
}
trap leave EXIT
last_transaction() {
	local file name
	while read -r file; do
		name=${file%.partial}
		if [ "$name" != "$file" ]; then
			[ ! -e "$wal/$name" ] || continue
			cp "$wal/$file" "$scratch/$name"
			file=$scratch/$name
		else
			file=$wal/$name
		fi
		# It ends with an error where the log ends.
		{ pg_waldump --rmgr=Transaction "$file" 2> /dev/null || true; } |
			sed -nE 's/.*desc: (COMMIT|ABORT)(_PREPARED)? .*([0-9]{4}-[0-9]{2}-[0-9]{2} [0-9:.]+) UTC.*/\3/p' |
			LC_ALL=C sort | tail -n 1 > "$scratch/last"
		if [ -s "$scratch/last" ]; then
			cat "$scratch/last"
			return
		fi
	done < <(find "$wal" -maxdepth 1 -type f -printf '%f\n' | grep -E '^[0-9A-F]{24}(\.partial)?$' | LC_ALL=C sort --reverse | head -n 200)
}
first=$(sed -n 's/^START WAL LOCATION: .*(file \([0-9A-F]\{24\}\))$/\1/p' "$backup/backup_label")
segments=$(find "$wal" -maxdepth 1 -type f -printf '%f\n' | grep -cE '^[0-9A-F]{24}(\.partial)?$') || true
[ "$segments" -gt 0 ] || fail "There is no WAL in $wal."
last=$(last_transaction)
if [ "$to" != latest ]; then
	wanted=$(date --date "$to" '+%Y-%m-%d %H:%M:%S.%6N')
	if ! [[ $last > $wanted ]]; then
		echo "The moment $to lies after the last transaction in the archive, which ended at ${last:-an unknown time} UTC: it can not be known what happened until then." >&2
		echo "While the server still runs, \"psql --command 'select pg_switch_wal()'\" has the rest archived. To go as far as the archive does: --to latest." >&2
		exit 1
	fi
fi

free=$(df --output=avail --block-size=1M "${data%/*}" | tail -n 1)
needed=$(du --summarize --block-size=1M "$backup" | cut -f 1)
[ "$((free))" -gt "$((needed + 1024))" ] ||
	fail "${data%/*} has $((free)) MB free, and the base backup alone takes $needed MB."
echo "base      $chosen, $needed MB, PostgreSQL $version, needs WAL from $first on"
echo "archive   $segments files of WAL; the last transaction ended at ${last:-an unknown time} UTC"
if [ -n "$dry_run" ]; then
	echo "Would bring it to $to in $data, on port $port."
	exit 0
fi

began=$SECONDS
mkdir --parents --mode=0700 "$data"
chmod 0700 "$data"
cp --archive --reflink=auto "$backup/." "$data/"
chmod 0700 "$data" # again: as the backup's
pg_verifybackup --quiet "$data" || fail "The base backup $chosen is damaged: try an older one. $data can be removed."
echo "copied    and verified in $((SECONDS - began)) s"

rm -f "$data/standby.signal"
# Debian keeps these elsewhere, and they are in no base backup.
elsewhere=
if [ ! -f "$data/postgresql.conf" ]; then
	elsewhere=yes
	echo "# The server's own was not in its data folder." > "$data/postgresql.conf"
fi
# It would lead to the old server's folder.
sed --in-place -E 's/^[[:space:]]*data_directory\b/#&/' "$data/postgresql.conf"
[ -f "$data/pg_ident.conf" ] || : > "$data/pg_ident.conf"
[ -f "$data/pg_hba.conf" ] || echo "local all all peer" > "$data/pg_hba.conf"

# What stays until somebody decides that this is the server now: it neither writes into the archive of
# the one it comes from, nor waits for its standby, nor takes over its subscriptions.
settings="$data/postgresql.auto.conf"
touch "$settings"
cat >> "$settings" << END
port = $port
archive_mode = off
synchronous_standby_names = ''
max_logical_replication_workers = 0
END
cp "$settings" "$scratch/settings"
cat >> "$settings" << END
restore_command = 'if [ -f "$wal/%f" ]; then cp "$wal/%f" "%p"; else test -f "$wal/%f.partial" && cp "$wal/%f.partial" "%p"; fi'
recovery_target_timeline = 'latest'
recovery_target_action = 'promote'
recovery_target_time = '$([ "$to" = latest ] || echo "$to")'
hot_standby = off
logging_collector = off
log_destination = 'stderr'
log_min_messages = warning
lc_messages = 'C'
log_timezone = 'UTC'
END
touch "$data/recovery.signal"

log="$data/restore-to.log"
echo "replays   the log; see $log"
began=$SECONDS
# Nobody is let in before it is promoted, since hot_standby is off; pg_ctl waits for less.
is_ready() {
	local status
	while status=$(sed -n 8p "$data/postmaster.pid" 2> /dev/null); do
		if [[ $status == ready* ]]; then return 0; fi
		if ! pg_ctl status --pgdata="$data" > /dev/null; then return 1; fi
		sleep 0.2
	done
	return 1
}
started=yes
# Before it replays it writes to disk all that was copied, and fetches WAL: with a large base backup, minutes.
if ! pg_ctl start --silent --wait --timeout=604800 --pgdata="$data" --log="$log" > /dev/null 2>&1 || ! is_ready; then
	if grep --quiet 'recovery ended before configured recovery target was reached' "$log"; then
		sentence="The moment $to was not reached: the WAL in $wal ends before it, or a file in between is missing."
	elif grep --quiet 'before consistent recovery point' "$log"; then
		sentence="The moment $to lies before the end of the base backup $chosen."
	elif grep --quiet -E 'could not locate required checkpoint record|WAL ends before end of online backup' "$log"; then
		sentence="The WAL in $wal does not continue the base backup $chosen."
	else
		sentence="It did not start; the end of $log says why:
$(tail -n 15 "$log")"
	fi
	fail "$sentence
$data can be removed."
fi
state=$(pg_controldata "$data" | sed -n 's/^Database cluster state: *//p')
[ "$state" = "in production" ] || fail "It started and is \"$state\", not open for writing: see $log."
reached=$(sed -nE 's/.*last completed transaction was at log time (.*)\+00$/\1/p' "$log" | tail -n 1)
# The server's log leaves zeros at its end out, and pg_waldump does not: 14:05:00.5 is 14:05:00.500000.
if [ -n "$reached" ]; then
	[[ $reached == *.* ]] || reached+=.
	while [ ${#reached} -lt 26 ]; do reached+=0; done
fi
if [ "$to" != latest ]; then
	grep --quiet -E 'recovery stopping (before|after) (commit|abort)' "$log" ||
		fail "It started, and nothing in $log says that it stopped at $to. $data can be removed."
fi
cat "$scratch/settings" > "$settings"
echo "reached   the last transaction ended at ${reached:-a time before the base backup} UTC; replayed in $((SECONDS - began)) s"

export PGHOST PGPORT=$port PGDATABASE=postgres
PGHOST=$(sed -n 5p "$data/postmaster.pid")
[ -n "$PGHOST" ] || PGHOST=localhost
ask() {
	psql --no-psqlrc --no-password --quiet --tuples-only --no-align --set=ON_ERROR_STOP=1 "$@"
}
# Numbers given out after that moment may stand in mails, in links and with other programs.
skipped=
not_skipped=()
cannot_ask="$to was reached, but the server lets nobody ask it (psql's words are above), so that no numbers were skipped: say as whom, with PGUSER and PGPASSFILE. $data can be removed."
databases=$(ask --command "select datname from pg_database where datallowconn and not datistemplate order by 1") || fail "$cannot_ask"
while read -r database; do
	is_ours=$(ask --dbname="$database" --command "select to_regclass('public.networks') is not null") || fail "$cannot_ask"
	[ "$is_ours" = t ] || continue
	holds=$(ask --dbname="$database" << 'SQL'
select concat_ws(', ', 'networks ' || (select count(*) from networks), 'attorneys ' || (select count(*) from attorneys),
	'debits ' || (select count(*) from debits), 'payments ' || (select count(*) from payments));
SQL
)
	echo "holds     $database: $holds"
	[ "$skip" -gt 0 ] || continue
	skipped=yes
	# A sequence without a last_value had given no number by then; it may have given some since.
	too_full=$(
		ask --dbname="$database" --set=skip="$skip" << 'SQL'
with raised as materialized (
	select sequencename, case when max_value - given > :skip
		then setval(format('%I.%I', schemaname, sequencename), given + :skip) end as raised_to
	from pg_sequences cross join lateral (select coalesce(last_value, start_value - 1) as given) as by_then
	where schemaname = 'public')
select string_agg(sequencename, ', ' order by sequencename) from raised where raised_to is null;
SQL
	)
	[ -z "$too_full" ] || not_skipped+=("$too_full in $database")
done <<< "$databases"
finished=yes
if [ ${#not_skipped[@]} -gt 0 ]; then
	for numbers in "${not_skipped[@]}"; do
		echo "Numbers of $numbers begin where they did then: $skip or fewer are left of their range (ID_RANGE), and those given since would be given again. Before the servers start, raise each above what the old server has given (there: \"select last_value from NAME\"; here: \"select setval('NAME', LAST_VALUE)\"), or restore again with a smaller --skip-ids." >&2
	done
elif [ -n "$skipped" ]; then
	echo "numbers   new records begin $skip above those of then, so that none means two things"
fi
if [ "$to" = latest ] && [[ $last > ${reached:-$(sed 's/T\(..\)\(..\)\(..\)Z/ \1:\2:\3/' <<< "$chosen")} ]]; then
	echo "The archive has transactions until $last UTC, and only those until ${reached:-the base backup} could be replayed: a file in between is missing." >&2
	echo "It runs on port $port with what there is up to then: look for the file in the old server's pg_wal before you settle for that." >&2
	exit 1
fi

cat << END

It runs on port $port from $data, started by hand, with its WAL not archived. Now:
1. Verify it, before anybody works on it, as the user of the service with its environment:
   DATABASE_URL=…:$port/… npm run cli -- verify-ledger
2. Stop the servers, the old PostgreSQL and its standbys, so that nobody writes to the moment that is given up.
3. Make it the server:
   psql --host $PGHOST --port $port --dbname postgres --command "alter system reset archive_mode" \\
     --command "alter system reset synchronous_standby_names" \\
     --command "alter system reset max_logical_replication_workers" --command "alter system reset port"
   $(command -v pg_ctl) stop --pgdata $data
   Put $data in the place of the old data folder, which you keep, or point DATABASE_URL at it.
   Let archive_command, the base backups and the stream go into folders that are new: those of before lead
   to what was given up. Start PostgreSQL, take a base backup at once. Make standbys anew, which are at what
   was given up: deploy/standby.sh --anew, then deploy/synchronous.sh on.
4. Before the servers start, look at what happened outside after that moment: card payments that the
   processors charged and this database does not know, mails and webhooks that are sent again, rights that
   were revoked. docs/operations.md, "Back to a moment".
END
[ -z "$elsewhere" ] || echo "Its configuration is not in its data folder: start it with that of the old server (Debian: /etc/postgresql)."
