"""Sleeps and time-outs are on the virtual clock, so these tests take no real time."""
from time import monotonic

import pytest
from video import make_video


def test_makes_a_video(gateway):
    start = monotonic()
    video = make_video("a red kite [[queued 30s]] [[render 2m]]", gateway.url, gateway.key)
    assert video[4:8] == b"ftyp"
    assert monotonic() - start >= 150


def test_gives_up_a_poll_that_hangs(gateway):
    gateway.next("video.poll", fault="hang")
    start = monotonic()
    video = make_video("a red kite", gateway.url, gateway.key, timeout=20)
    assert video[4:8] == b"ftyp"
    assert monotonic() - start >= 20


def test_says_why_a_video_failed(gateway):
    with pytest.raises(RuntimeError, match="content policy"):
        make_video("a red kite [[fail: content policy]]", gateway.url, gateway.key)
