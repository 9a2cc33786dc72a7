#!/bin/sh
# memcached.sh HOST PORT [OPTION...]: executes memcached with as many connections as descriptors. With more it would
# not start; its default is 1,024.
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
# Required to run as root; ignored for other users.
exec memcached -u root -U 0 -m 1024 -c "$connections" "$@"
