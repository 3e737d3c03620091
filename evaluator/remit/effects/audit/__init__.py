"""The decision log: one record for each decision, chained by hashes, without the secrets that calls carry."""
