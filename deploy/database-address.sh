#!/bin/bash
# Sourced by backup.sh and restore.sh: address is DATABASE_URL without its password, which goes to PGPASSWORD.
# No password is on a command line, where everyone on this machine could read it.
set -euo pipefail
: "${DATABASE_URL:?must name the database}"
address=$DATABASE_URL
password=
if [[ $address =~ ^([a-z]+://[^:@/?]*):([^@/?]*)@(.*)$ ]]; then
	address=${BASH_REMATCH[1]}@${BASH_REMATCH[3]}
	password=${BASH_REMATCH[2]}
fi
if [[ $address =~ ^([^?]*\?)(.*&)?password=([^&]*)(.*)$ ]]; then
	address=${BASH_REMATCH[1]}${BASH_REMATCH[2]}${BASH_REMATCH[4]#&}
	password=${BASH_REMATCH[3]}
fi
address=${address%[?&]}
if [ -n "$password" ]; then
	password=${password//\\/\\\\}
	PGPASSWORD=$(printf '%b' "${password//%/\\x}")
	export PGPASSWORD
fi
