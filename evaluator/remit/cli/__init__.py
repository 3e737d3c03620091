"""The command line: one module for each subcommand, loaded when it is called."""
