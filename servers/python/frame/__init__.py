"""What the servers in Python have in common: command line, listener, protocols, work. The one thing to know: no file
of it touches a connection; accept, read, wait and write are each server's own, because they are what is measured."""
