#!/bin/bash
# Write a backup of the database at DATABASE_URL into a folder: backup.sh FOLDER
# The file is complete or absent; pg_dump sees one state of the database and holds nobody up.
set -euo pipefail
: "${DATABASE_URL:?must name the database}"
folder=${1:?say which folder the backup goes into}
# The password is on no command line, where everybody on this machine could read it.
address=$DATABASE_URL
if [[ $address =~ ^([a-z]+://[^:@/]*):([^@/]*)@(.*)$ ]]; then
	address=${BASH_REMATCH[1]}@${BASH_REMATCH[3]}
	password=${BASH_REMATCH[2]//\\/\\\\}
	PGPASSWORD=$(printf '%b' "${password//%/\\x}")
	export PGPASSWORD
fi

umask 077
mkdir -p "$folder"
file="$folder/referral-network-$(date -u +%Y-%m-%dT%H%M%SZ).dump"
trap 'rm -f "$file.part"' EXIT
pg_dump --dbname="$address" --format=custom --no-owner --no-privileges --file="$file.part"
pg_restore --list "$file.part" > /dev/null
sync "$file.part"
mv "$file.part" "$file"
sync "$folder"
echo "$file"
