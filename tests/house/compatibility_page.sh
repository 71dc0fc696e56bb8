#!/bin/sh
# Usage: compatibility_page.sh SAKER PAGE
# Fails where the committed page and the tables of the program differ, and shows where.
set -eu
page=$(mktemp)
trap 'rm -f "$page"' EXIT
"$1" compatibility > "$page"
diff -u "$2" "$page" || {
    echo "FAILED: make the page true again: $1 compatibility > $2"
    exit 1
}
