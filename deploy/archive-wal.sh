#!/bin/bash
# Put a file of the write-ahead log into the archive; PostgreSQL runs it:
#   archive_command = '/opt/referral-network/deploy/archive-wal.sh %p /var/backups/referral-network/wal'
# The file is in the archive complete and on disk, or absent. Exit code 0 lets PostgreSQL remove its own;
# with 1 it keeps it and asks again. A file of that name with other bytes is never replaced.
set -euo pipefail

fail() {
	echo "archive-wal.sh: $1" >&2
	exit 1
}
[ $# -eq 2 ] || fail "Say which file goes into which folder: archive-wal.sh %p FOLDER."
file=$1
folder=$2
name=${file##*/}
# Not made here: a mount that is missing would be filled beneath.
[ -d "$folder" ] || fail "The archive $folder is not there."
[ -f "$file" ] || fail "There is no file $file."

if [ -e "$folder/$name" ]; then
	# Of the file that an old primary could not finish, a stream may have left another piece: it is longer
	# or shorter. The promoted server's next file has all of it that counts.
	cmp --silent "$file" "$folder/$name" || [ "${name%.partial}" != "$name" ] ||
		fail "The archive $folder has another $name already: two servers archive into one folder, or this one was brought back to an earlier moment. Give it a folder of its own."
	sync "$folder/$name" "$folder" || exit 1
	exit 0
fi
part="$folder/.$name.$HOSTNAME.$$.part" # a primary and its standby archive the same file at once
trap 'rm -f "$part"' EXIT
cp "$file" "$part" || fail "$name could not be copied into $folder."
sync "$part" || fail "$name could not be written to the disk of $folder."
mv --no-target-directory "$part" "$folder/$name" || fail "$name could not be named in $folder."
sync "$folder" || fail "The folder $folder could not be written to its disk."
