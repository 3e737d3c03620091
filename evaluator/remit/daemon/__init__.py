"""The daemon: the engine behind a socket. HTTP on a Unix socket or on TCP; nothing in here decides."""
