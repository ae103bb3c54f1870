"""What rulerun asks of the machine it runs on.

`cache_dir` keeps results between runs, `locking` holds files, `streams` guards the standard
streams; `version` is rulerun's own.
"""
