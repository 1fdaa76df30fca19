"""A worker to copy: a thread for each job, and a database of tasks. It may be killed at any time, and started again."""
import os
import sqlite3
import sys
import threading
from pathlib import Path

import requests
from video import Refused, download, follow, submit

URL, KEY = os.environ["GREENROOM_URL"], os.environ["GREENROOM_KEY"]
FOLDER = Path(os.environ.get("GREENROOM_RUN_DIR", "."))


class Jobs:
    """What the worker must not forget: the state and the task of each job."""

    def __init__(self, path):
        self.lock = threading.Lock()
        self.database = sqlite3.connect(path, check_same_thread=False, isolation_level=None)
        self.database.execute("create table if not exists jobs (prompt text primary key, state text, task text)")

    def read(self, prompt):
        with self.lock:
            self.database.execute("insert or ignore into jobs values (?, 'new', null)", (prompt,))
            return self.database.execute("select state, task from jobs where prompt = ?", (prompt,)).fetchone()

    def write(self, prompt, state, task=None):
        with self.lock:
            self.database.execute("update jobs set state = ?, task = ? where prompt = ?", (state, task, prompt))


def work(jobs, prompt):
    state, task = jobs.read(prompt)
    if state == "done":
        return
    if state == "submitting":
        raise RuntimeError("nobody knows whether its submission arrived: look before you pay again")
    if state == "new":
        jobs.write(prompt, "submitting")
        try:
            task = submit(prompt, URL, KEY)
        except Refused:
            jobs.write(prompt, "new")  # No task exists.
            raise
        jobs.write(prompt, "submitted", task)
    follow(task, URL, KEY)
    path = FOLDER / f"{task}.mp4"
    part = path.with_suffix(".part")
    part.write_bytes(download(task, URL, KEY))
    part.replace(path)
    jobs.write(prompt, "done", task)


def run(jobs, prompt, failed):
    try:
        work(jobs, prompt)
    except (requests.RequestException, Refused, RuntimeError, TimeoutError) as error:
        failed.append(f"{prompt}: {error}")


if __name__ == "__main__":
    jobs, failed = Jobs(FOLDER / "jobs.db"), []
    threads = [threading.Thread(target=run, args=(jobs, prompt, failed)) for prompt in sys.argv[1:]]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    sys.exit("\n".join(sorted(failed)) or None)
