#!/bin/bash
# Take a base backup, from which archived WAL leads to any later moment, and remove what is too old:
#   base-backup.sh FOLDER --wal ARCHIVE [--keep 7] [--dry-run]
# Run it as the user postgres. Which server: PGHOST, PGPORT, PGUSER, PGPASSFILE, as for psql.
# Each backup is a folder of FOLDER, named by the first moment that it can be brought to (UTC). It is
# complete and verified or absent. restore-to.sh brings it back.
set -euo pipefail

fail() {
	echo "$1" >&2
	exit 1
}
folder=
archive=
keep=7
dry_run=
while [ $# -gt 0 ]; do
	case $1 in
	--wal | --keep)
		[ $# -gt 1 ] || fail "$1 needs a value."
		if [ "$1" = --wal ]; then archive=$2; else keep=$2; fi
		shift
		;;
	--dry-run) dry_run=yes ;;
	-*) fail "There is no option $1: base-backup.sh FOLDER --wal ARCHIVE [--keep 7] [--dry-run]." ;;
	*) folder=$1 ;;
	esac
	shift
done
[ -n "$folder" ] || fail "Say which folder the base backups are in: base-backup.sh FOLDER --wal ARCHIVE."
[ -n "$archive" ] || fail "Say where the WAL is archived: --wal ARCHIVE."
[[ $keep =~ ^[1-9][0-9]*$ ]] || fail "--keep says how many base backups are kept, 1 or more."
[ -d "$folder" ] || fail "The folder $folder is not there."
[ -d "$archive" ] || fail "The archive $archive is not there."
# What no backup needs is removed there.
[ ! -d "$archive/archive_status" ] || fail "$archive is no archive, but the WAL of a server itself: name the folder that archive_command fills."

ask() {
	psql --dbname="${PGDATABASE:-postgres}" --no-psqlrc --no-password --quiet --tuples-only --no-align \
		--set=ON_ERROR_STOP=1 --command "$1"
}
version=$(ask "select current_setting('server_version_num')::integer / 10000")
[ "$version" -ge 15 ] || fail "PostgreSQL 15 or later is needed, and the server is $version."
for programs in "${PG_BIN:-}" "/usr/lib/postgresql/$version/bin" "/usr/pgsql-$version/bin"; do
	if [ -x "$programs/pg_archivecleanup" ]; then
		PATH=$programs:$PATH
		break
	fi
done
for program in pg_basebackup pg_verifybackup pg_archivecleanup; do
	command -v "$program" > /dev/null || fail "$program is not found: set PG_BIN to the folder of PostgreSQL's programs."
done
[ "$(ask 'show archive_mode')" != off ] ||
	fail "The server archives no WAL: set archive_mode and archive_command, or a base backup leads to no later moment."
# They would be copied to the very paths that they have there, and restore-to.sh would write into them.
[ "$(ask "select count(*) from pg_tablespace where spcname not in ('pg_default', 'pg_global')")" -eq 0 ] ||
	fail "The server has tablespaces outside of its data folder, which these scripts cannot back up: move what is in them to pg_default, or use pgBackRest."

exec 9> "$folder/.lock"
flock --nonblock 9 || fail "Another base backup is being taken into $folder."

backups() {
	find "$folder" -mindepth 1 -maxdepth 1 -type d -name '????-??-??T??????Z' -printf '%f\n' | LC_ALL=C sort
}
if [ -n "$dry_run" ]; then
	echo "Would take a base backup of PostgreSQL $version, $(ask 'select pg_size_pretty(sum(pg_database_size(oid))) from pg_database'), into $folder."
	backups | head -n "-$((keep - 1))" | sed 's/^/Would remove the base backup /; s/$/./'
	exit 0
fi

find "$folder" -mindepth 1 -maxdepth 1 -name '.part-*' -exec rm -rf {} +
part="$folder/.part-$$"
trap 'rm -rf "$part"' EXIT
pg_basebackup --pgdata="$part" --format=plain --wal-method=stream --checkpoint=fast --no-password \
	--label="referral network"
# A moment at which it is complete, by the server's clock, which the WAL goes by too.
name=$(ask "select to_char(date_trunc('second', clock_timestamp() at time zone 'UTC') + interval '1 second',
	'YYYY-MM-DD\"T\"HH24MISS\"Z\"')")
pg_verifybackup --quiet "$part"
sync --file-system "$part"
[ ! -e "$folder/$name" ] || fail "There is a base backup $name already."
mv --no-target-directory "$part" "$folder/$name"
sync "$folder"
echo "Took the base backup $folder/$name, $(du --summarize --human-readable "$folder/$name" | cut -f 1)B, verified."

for old in $(backups | head -n "-$keep"); do
	mv --no-target-directory "$folder/$old" "$folder/.part-$old" # half removed it counts for none
	rm -rf "$folder/.part-$old"
	echo "Removed the base backup $old."
done
oldest=$(backups | head -n 1)
first=$(sed -n 's/^START WAL LOCATION: .*(file \([0-9A-F]\{24\}\))$/\1/p' "$folder/$oldest/backup_label")
[ -n "$first" ] || fail "The base backup $oldest does not say which WAL it begins with: no WAL was removed."
unneeded=$(pg_archivecleanup -n "$archive" "$first" 2> /dev/null | wc -l)
pg_archivecleanup "$archive" "$first"
find "$archive" -maxdepth 1 -type f -name '.*.part' -mmin +60 -delete
echo "Removed $unneeded files of WAL that no base backup needs; those kept lead to any moment since $oldest."
