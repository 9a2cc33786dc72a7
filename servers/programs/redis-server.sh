#!/bin/sh
# redis-server.sh HOST PORT SCRATCH [OPTION...]: executes redis-server without files on disk, on
# either a unix socket or a port.
set -eu
host=$1 port=$2 scratch=$3
shift 3
case $host in
  unix:*) set -- --port 0 --unixsocket "${host#unix:}" "$@" ;;
  # protected mode refuses clients at other loopback addresses, such as 127.0.0.2
  127.* | ::1) set -- --bind "$host" --port "$port" --protected-mode no "$@" ;;
  *) set -- --bind "$host" --port "$port" "$@" ;;
esac
exec redis-server "$@" --dir "$scratch" --save '' --appendonly no --maxclients 100000 --loglevel warning
