"""The remit policy language."""
