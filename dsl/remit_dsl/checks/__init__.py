"""The checks, one subject a module: contents, conditions, rules, declarations, rights."""
