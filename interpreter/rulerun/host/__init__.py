"""What rulerun asks of the machine it runs on: a folder for caches, locks, standard streams."""
