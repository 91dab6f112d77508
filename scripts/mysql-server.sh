#!/usr/bin/env bash
# MySQL's own server, which Debian has in its unstable release alone: into a folder, with the libraries it was built against,
# beside everything that is installed. Prints the program that MYSQLD is to name; anything it says goes to standard error.
# Used as: MYSQLD=$(scripts/mysql-server.sh /var/cache/punctual/mysql) npm test
set -euo pipefail

folder=${1:?"which folder?"}
program="$folder/mysqld"
if [ -x "$program" ] && "$program" --version >/dev/null 2>&1; then
  echo "$program"
  exit 0
fi

mirror=$(apt-get indextargets --format '$(ORIGIN) $(LABEL) $(REPO_URI)' | awk '$1 == "Debian" && $2 == "Debian" && !n++ { print $3 }')
[ -n "$mirror" ] || { echo 'no mirror of Debian is configured, or apt-get update has not been run' >&2; exit 1; }

apt="$folder/apt"
rm -rf "$apt" "$folder/root" "$program" # of an attempt that went wrong; nothing else that may be in the folder
mkdir -p "$apt/lists/partial" "$apt/cache/archives/partial" "$apt/parts" "$folder/root"
: >"$apt/status" # nothing counts as installed, so that all libraries come along
echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror unstable main" >"$apt/sources.list"
options=(
  -o "Dir::State::Lists=$apt/lists" -o "Dir::State::status=$apt/status" -o "Dir::Cache=$apt/cache"
  -o "Dir::Etc::SourceList=$apt/sources.list" -o "Dir::Etc::SourceParts=$apt/parts" -o "Dir::Etc::PreferencesParts=$apt/parts"
  -o APT::Sandbox::User=root -o Acquire::Retries=2
)
apt-get "${options[@]}" update -qq >&2
apt-get "${options[@]}" install -y -qq --download-only --no-install-recommends mysql-server-core >&2
for package in "$apt"/cache/archives/*.deb; do
  case "${package##*/}" in perl*) ;; *) dpkg -x "$package" "$folder/root" ;; esac
done
rm -rf "$apt"

root="$folder/root/usr"
libraries=$(dirname "$(find "$root/lib" -name libc.so.6 -print -quit)")
loader=$(find "$libraries" -maxdepth 1 -name 'ld-linux*' -print -quit)
cat >"$program" <<EOF
#!/bin/sh
exec "$loader" --library-path "$libraries" "$root/sbin/mysqld" "\$@" --basedir="$root" \\
  --lc-messages-dir="$root/share/mysql" --character-sets-dir="$root/share/mysql/charsets" --plugin-dir="$root/lib/mysql/plugin"
EOF
chmod 755 "$program"
"$program" --version >&2
echo "$program"
