"""The version of rulerun, which `pyproject.toml` states as well."""

VERSION = "0.1.0"
