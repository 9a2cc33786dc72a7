#!/bin/sh
# memcached.sh HOST PORT [OPTION...]: becomes memcached, with as many connections as it may have descriptors. The one
# thing to know: told more than those, it would not start, and told nothing, it would have 1,024.
set -eu
host=$1 port=$2
shift 2
connections=$(ulimit -Hn)
[ "$connections" != unlimited ] && [ "$connections" -le 100000 ] || connections=100000
case $host in
  unix:*) set -- -s "${host#unix:}" "$@" ;;
  *:*) set -- -l "[$host]" -p "$port" "$@" ;;
  *) set -- -l "$host" -p "$port" "$@" ;;
esac
# Without a user root cannot start it; nobody else is asked for one.
exec memcached -u root -U 0 -m 1024 -c "$connections" "$@"
