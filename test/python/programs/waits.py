"""Waits in each way that the standard library has, and prints how long each took on the virtual clock."""
import asyncio
import concurrent.futures
import contextlib
import datetime
import os
import queue
import random
import select
import selectors
import signal
import socket
import subprocess
import sys
import threading
import time
from time import monotonic


def wait_on_condition():
    condition = threading.Condition()
    with condition:
        condition.wait(7)


def wait_for_event_of_thread():
    event = threading.Event()
    threading.Timer(11, event.set).start()
    event.wait()


def join_threads():
    threads = [threading.Thread(target=time.sleep, args=(n,)) for n in (3, 9, 6)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


def get_from_queue():
    jobs = queue.Queue(1)
    threading.Thread(target=lambda: [time.sleep(4), jobs.put(1), jobs.put(2)]).start()
    assert [jobs.get(), jobs.get()] == [1, 2]


def time_out_of_queue():
    with contextlib.suppress(queue.Empty):
        queue.Queue().get(timeout=13)


def time_out_of_simple_queue():
    with contextlib.suppress(queue.Empty):
        queue.SimpleQueue().get(timeout=2.5)


def acquire_lock():
    lock = threading.Lock()
    lock.acquire()
    assert not lock.acquire(timeout=8)


def acquire_semaphore():
    semaphore = threading.Semaphore(0)
    threading.Timer(5, semaphore.release).start()
    semaphore.acquire()


def pass_barrier():
    barrier = threading.Barrier(2)
    threading.Thread(target=lambda: [time.sleep(6), barrier.wait()]).start()
    barrier.wait()


def map_in_pool():
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        list(pool.map(time.sleep, [5, 5, 5, 5]))


def time_out_of_future():
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        with contextlib.suppress(concurrent.futures.TimeoutError):
            pool.submit(time.sleep, 30).result(timeout=10)


async def sleeping():
    await asyncio.gather(*(asyncio.sleep(n) for n in (0.1, 20, 0.3)))


async def waiting_for():
    with contextlib.suppress(asyncio.TimeoutError):
        await asyncio.wait_for(asyncio.Event().wait(), 12)


async def in_executor():
    await asyncio.get_running_loop().run_in_executor(None, time.sleep, 15)


async def streaming():
    async def serve(_, writer):
        for _ in range(3):
            await asyncio.sleep(2)
            writer.write(b"x" * 1000)
            await writer.drain()
        writer.close()

    async with await asyncio.start_server(serve, "127.0.0.1", 0) as server:
        reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
        assert len(await reader.read(-1)) == 3000
        writer.close()


async def child_of_loop():
    child = await asyncio.create_subprocess_exec(sys.executable, "-c", "import time; time.sleep(17); print(1)", stdout=-1)
    assert (await child.communicate())[0] == b"1\n"


def run_child():
    child = subprocess.run([sys.executable, "-c", "import time; time.sleep(40); print(input())"], input=b"a\n", capture_output=True)
    assert child.stdout == b"a\n"


def time_out_of_child():
    with contextlib.suppress(subprocess.TimeoutExpired):
        subprocess.run([sys.executable, "-c", "import time; time.sleep(90)"], timeout=25)


def run_shell():
    assert os.system(f'"{sys.executable}" -c "import time; time.sleep(21)"') == 0


def wait_for_fork():
    pid = os.fork()
    if pid == 0:
        time.sleep(14)
        os._exit(0)
    os.waitpid(pid, 0)


def time_out_of_socket():
    with socket.create_server(("127.0.0.1", 0)) as server, socket.create_connection(server.getsockname()) as client:
        accepted, _ = server.accept()
        client.settimeout(18)
        with contextlib.suppress(socket.timeout):
            client.recv(1)
        accepted.close()


def serve_in_thread():
    def serve():
        connection, _ = server.accept()
        time.sleep(16)
        connection.sendall(b"late")
        connection.close()

    with socket.create_server(("127.0.0.1", 0)) as server:
        threading.Thread(target=serve).start()
        with socket.create_connection(server.getsockname()) as client:
            assert client.recv(100) + client.recv(100) == b"late"


def time_out_of_accept():
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(19)
        with contextlib.suppress(socket.timeout):
            server.accept()


def use_select():
    one, other = socket.socketpair()
    with one, other:
        assert select.select([one], [], [], 22) == ([], [], [])


def use_poll():
    one, other = socket.socketpair()
    with one, other:
        poll = select.poll()
        poll.register(one, select.POLLIN)
        assert poll.poll(23_000) == []


def use_selector():
    one, other = socket.socketpair()
    with one, other, selectors.DefaultSelector() as selector:
        selector.register(one, selectors.EVENT_READ)
        threading.Timer(24, other.send, [b"x"]).start()
        assert len(selector.select()) == 1


def read_pipe():
    read, write = os.pipe()
    threading.Timer(26, os.write, [write, b"x"]).start()
    assert os.read(read, 1) == b"x"


def wait_with_unread_pipe():
    unread, stop, event = os.pipe(), os.pipe(), threading.Event()
    os.write(unread[1], b"x")
    fds = [unread[0], stop[0]]

    def use_select():
        while stop[0] not in select.select(fds, [], [])[0]:
            pass

    def use_selectors(selector):
        for fd in fds:
            selector.register(fd, selectors.EVENT_READ)
        while stop[0] not in [key.fd for key, _ in selector.select(9)]:
            pass

    threads = [threading.Thread(target=use_select)]
    threads += [threading.Thread(target=use_selectors, args=[each()]) for each in (selectors.PollSelector, selectors.DefaultSelector)]
    for each in threads:
        each.start()
    assert not event.wait(7300)
    os.write(stop[1], b"x")
    for each in threads:
        each.join()


def read_in_loop():
    read, write = os.pipe()
    for _ in range(3000):
        os.write(write, b"x")
        assert select.select([read], [], [], 60)[0]
        os.read(read, 1)


def ring_alarm():
    rung = []
    signal.signal(signal.SIGALRM, lambda *_: rung.append(monotonic()))
    signal.alarm(27)
    time.sleep(27.5)
    assert rung


def pause_for_signal():
    signal.signal(signal.SIGALRM, lambda *_: None)
    signal.setitimer(signal.ITIMER_REAL, 28)
    signal.pause()


def wait_for_signal():
    # To this thread: another one, which does not block the signal, would end the process.
    threading.Timer(29, signal.pthread_kill, [threading.get_ident(), signal.SIGUSR1]).start()
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1])
    signal.sigwait([signal.SIGUSR1])


def read_dates():
    start = datetime.datetime.now()
    time.sleep(3600)
    assert datetime.datetime.now() - start == datetime.timedelta(hours=1)
    assert datetime.datetime.now().year == datetime.date.today().year == time.gmtime().tm_year == 2030


def loop_until():
    end = time.time() + 0.05
    while time.time() < end:
        pass


def poll_without_wait():
    event = threading.Event()
    threading.Thread(target=lambda: [time.sleep(1), event.set()]).start()
    while not event.is_set():
        time.sleep(0.5)


def sum_floats():
    for _ in range(10):
        time.sleep(0.1)


waits = [wait_on_condition, wait_for_event_of_thread, join_threads, get_from_queue, time_out_of_queue]
waits += [time_out_of_simple_queue, acquire_lock, acquire_semaphore, pass_barrier, map_in_pool, time_out_of_future]
waits += [sleeping, waiting_for, in_executor, streaming, child_of_loop, run_child, time_out_of_child, run_shell]
waits += [wait_for_fork, time_out_of_socket, serve_in_thread, time_out_of_accept, use_select, use_poll, use_selector]
waits += [read_pipe, wait_with_unread_pipe, read_in_loop, ring_alarm, pause_for_signal, wait_for_signal, read_dates]
waits += [loop_until, poll_without_wait, sum_floats]

if __name__ == "__main__":
    for wait in waits:
        start = monotonic()
        asyncio.run(wait()) if asyncio.iscoroutinefunction(wait) else wait()
        print(wait.__name__, round((monotonic() - start) * 1000))
    print("random", random.random(), random.Random().random())
