"""What the Python servers share: command line, listener, protocols, work. Nothing here serves a connection: accept,
read, wait and write are in each server, because those are measured."""
