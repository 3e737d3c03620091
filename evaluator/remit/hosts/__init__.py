"""Python hosts: remit in front of the tools of agent frameworks. One module for each framework, imported only where it is used."""
