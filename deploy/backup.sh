#!/bin/bash
# Write a backup of the database at DATABASE_URL into a folder: backup.sh FOLDER
# The file is complete or absent. pg_dump sees one state of the database and blocks no one.
set -euo pipefail
folder=${1:?say which folder the backup goes into}
source "$(dirname "$0")/database-address.sh"

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
