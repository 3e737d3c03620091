"""Command line to commands."""
