"""Reload: policies that change while calls are decided."""
