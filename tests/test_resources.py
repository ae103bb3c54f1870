"""Shipped data is found by kind and by name, and by nothing else."""

import pytest

from rulerun_dsl.source.resources import ruleset_names, ruleset_path, shipped


@pytest.mark.parametrize("kind", ["rulesets", "schemas"])
def test_shipped_folders_exist(kind):
    assert shipped(kind).is_dir()


def test_an_unknown_kind_is_refused():
    with pytest.raises(FileNotFoundError, match="no_such_kind"):
        shipped("no_such_kind")  # type: ignore[arg-type]


def test_every_name_leads_to_its_file():
    names = ruleset_names()
    assert "brave_rats" in names
    for name in names:
        assert not name.endswith(".test")
        path = ruleset_path(name)
        assert path is not None
        assert path.is_file()
        assert ruleset_path(name + ".yaml") == path


@pytest.mark.parametrize(
    "name",
    ["", ".yaml", "no such game", "../rulesets/brave_rats", "./brave_rats", "*", "brave_rats.test"],
)
def test_other_names_lead_nowhere(name):
    assert ruleset_path(name) is None


def test_every_name_is_used_once():
    root = shipped("rulesets")
    files = [
        path.name
        for path in [*root.glob("*.yaml"), *(root / "classics").glob("*.yaml")]
        if not path.name.endswith(".test.yaml")
    ]
    assert len(files) == len(set(files))
