#!/bin/sh
# redis-server.sh HOST PORT SCRATCH [OPTION...]: executes redis-server without files on disk, on
# either a unix socket or a port.
set -eu
host=$1 port=$2 scratch=$3
shift 3
case $host in
  unix:*) set -- --port 0 --unixsocket "${host#unix:}" "$@" ;;
  *) set -- --bind "$host" --port "$port" "$@" ;;
esac
exec redis-server "$@" --dir "$scratch" --save '' --appendonly no --maxclients 100000 --loglevel warning
