from time import monotonic

import pytest
from video import make_video


def test_makes_a_video(gateway):
    video = make_video("a red kite [[queued 30s]] [[render 2m]]", gateway.url, sleep=gateway.sleep)
    assert video[4:8] == b"ftyp"
    assert gateway.now() % 86_400 >= 150  # virtual seconds


def test_gives_up_a_poll_that_hangs(gateway):
    gateway.next("video.poll", fault="hang")
    start = monotonic()
    video = make_video("a red kite", gateway.url, sleep=gateway.sleep, deadline=gateway.deadline)
    assert video[4:8] == b"ftyp"
    assert monotonic() - start < 20  # not the 30 seconds that the poll hung


def test_says_why_a_video_failed(gateway):
    with pytest.raises(RuntimeError, match="content policy"):
        make_video("a red kite [[fail: content policy]]", gateway.url, sleep=gateway.sleep)
