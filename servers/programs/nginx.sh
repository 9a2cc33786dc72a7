#!/bin/sh
# nginx.sh HOST PORT SCRATCH [--tls] [--processes N] [--backlog N]: writes a configuration into the folder SCRATCH
# and executes nginx. It serves one page from memory, the 42 bytes that our own servers send; with --tls over TLS, with a
# certificate that it makes itself (SCRATCH/authority.pem).
set -eu
host=$1 port=$2 scratch=$3
shift 3
processes=1 backlog=4096 ssl='' certificate=''
while [ $# -gt 0 ]; do
  case $1 in
    --tls) ssl=ssl; shift; continue ;;
    --processes) processes=$2 ;;
    --backlog) backlog=$2 ;;
    *) echo "nginx.sh: unknown argument $1" >&2; exit 2 ;;
  esac
  shift 2
done

# nginx allocates about 400 bytes for each possible connection, so no more than 100,000.
connections=$(ulimit -Hn)
[ "$connections" != unlimited ] && [ "$connections" -le 100000 ] || connections=100000
# Several processes have a listener each, as in our own servers.
reuseport=
[ "$processes" -eq 1 ] || reuseport=reuseport
# Otherwise its workers run as the user "nobody", which cannot read a folder of root.
user=
[ "$(id -u)" -ne 0 ] || user='user root;'

# That the certificate is valid for; the address of another host is one of them.
names=DNS:localhost,IP:127.0.0.1,IP:::1
case $host in
  unix:*) place=$host reuseport= ;; # not possible for unix sockets
  *:*) place="[$host]:$port" names="$names,IP:$host" ;;
  *[!0-9.]*) place=$host:$port ;;
  *) place=$host:$port names="$names,IP:$host" ;;
esac

if [ -n "$ssl" ]; then
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 30 -subj /CN=localhost \
    -addext "subjectAltName=$names" \
    -keyout "$scratch/key.pem" -out "$scratch/authority.pem" 2>"$scratch/openssl.log" ||
    { cat "$scratch/openssl.log" >&2; exit 1; }
  certificate="ssl_certificate $scratch/authority.pem; ssl_certificate_key $scratch/key.pem;"
fi

cat >"$scratch/nginx.conf" <<END
daemon off;
$user
worker_processes $processes;
worker_rlimit_nofile $connections;
pid $scratch/pid;
error_log stderr warn;
events { worker_connections $connections; }
http {
  access_log off;
  keepalive_requests 1000000000;
  client_max_body_size 0;
  client_body_temp_path $scratch/body;
  proxy_temp_path $scratch/proxy;
  fastcgi_temp_path $scratch/fastcgi;
  uwsgi_temp_path $scratch/uwsgi;
  scgi_temp_path $scratch/scgi;
  server {
    listen $place backlog=$backlog $reuseport $ssl;
    $certificate
    location / { default_type text/html; return 200 "<html><title>Broadside</title>Aye.</html>\n"; }
  }
}
END
exec nginx -e stderr -p "$scratch" -c "$scratch/nginx.conf"
