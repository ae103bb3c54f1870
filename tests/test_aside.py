"""One process beside this one: what it answers, and what stopping it does.

This file imports little, since that process imports it.
"""

from __future__ import annotations

import os

import pytest

from rulerun.host.aside import Aside, Lost


@pytest.fixture(scope="module")
def beside():
    """A process that is there."""
    aside = Aside()
    assert aside.ask(said, 1, seconds=60) == 1
    yield aside
    aside.close()


def said(tell, number):
    """A job: tell a number and give it back."""
    tell(number)
    return number


def nothing_to_send(_):
    """A job whose answer no pipe can carry."""
    return lambda: None


def ended(_):
    """A job that ends its process."""
    os._exit(3)


def test_an_answer_that_nobody_took_is_not_that_of_the_next_job(beside):
    def told(_):
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        beside.ask(said, 1, seconds=60, told=told)
    assert beside.ask(said, 2, seconds=60) == 2


def test_stopping_nothing_stops_nothing(beside):
    process = beside._process
    beside.stop()
    assert beside.ask(said, 3, seconds=60) == 3
    assert beside._process is process


def test_after_a_process_has_ended_another_begins(beside):
    with pytest.raises(Lost, match="has ended"):
        beside.ask(ended, seconds=60)
    assert beside.ask(said, 4, seconds=60) == 4
    # One that ended while nobody asked was not doing this job.
    beside._process.kill()
    beside._process.join()
    assert beside.ask(said, 5, seconds=60) == 5


def test_an_answer_that_no_pipe_carries_says_so(beside):
    process = beside._process
    with pytest.raises(Lost, match="pickle"):
        beside.ask(nothing_to_send, seconds=60)
    assert beside.ask(said, 6, seconds=60) == 6
    assert beside._process is process


def test_a_job_that_is_stopped_before_its_process_is_there_is_not_done():
    class Hasty(Aside):
        def _begun(self):
            self.stop()
            return super()._begun()

    aside = Hasty()
    heard: list[object] = []
    with pytest.raises(Lost, match="it was stopped"):
        aside.ask(said, 1, seconds=60, told=heard.append)
    with pytest.raises(Lost, match="it was stopped"):
        aside.ask(said, 1, seconds=60, told=heard.append, wanted=lambda: False)
    assert not heard
    aside.close()
