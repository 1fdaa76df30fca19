import { join } from 'node:path'
import type { FirstClient } from '../../apis/define/flow.ts'
import { findFlow } from '../../apis/index.ts'
import { UsageError } from '../terminal/command.ts'
import { firstApis } from './scenario-draft.ts'
import { keyOf, loadFirstClient, urlOf, type TestSetting } from './first-test.ts'

/** The APIs with a client in Python. */
async function listApis(): Promise<string[]> {
  const all = firstApis.map(async (name) => ({ name, first: await findFlow(name).first!.load() }))
  return (await Promise.all(all)).filter(({ first }) => first?.python).map(({ name }) => name)
}

/** The folder of tests in Python: `tests`, unless there is another one. */
const testsFolder = ({ testFolder }: TestSetting['project']): string =>
  testFolder === 'test' ? 'tests' : testFolder

/** The command that runs the tests, which are judged by the scenario. */
export function pytestCommand({ project }: Pick<TestSetting, 'project'>): string {
  return `npx greenroom run --virtual-timers scenarios/*.yaml -- python3 -m pytest ${testsFolder(project)}`
}

/**
 * Writes a fixture for the simulator, and a test with a small client in Python, which needs no packages but pytest.
 * @throws {UsageError} for an API without such a client.
 */
export async function pytestFiles(setting: TestSetting): Promise<{ path: string; text: string }[]> {
  const { project, draft } = setting
  const first = await loadFirstClient(draft)
  if (!first.python)
    throw new UsageError(
      `--runner pytest has no first test for --api ${draft.word ?? draft.flow.name}. Choose one of ${(await listApis()).join(', ')}, and change its client.`,
    )
  const folder = join(project.folder, testsFolder(project))
  return [
    { path: join(folder, 'conftest.py'), text: fixture(setting) },
    { path: join(folder, 'test_gateway.py'), text: firstTest(setting, first, first.python) },
  ]
}

/** An operation to break in an example. */
function breakableOf({ draft: { flow } }: TestSetting): string {
  const { poll, submit } = flow.operations
  return poll ?? submit
}

const fixture = (
  setting: TestSetting,
): string => `"""The simulator for tests. This starts it, and puts their sleeps and time-outs on its virtual clock:

${pytestCommand(setting)}
"""
import json
import os
from urllib.request import Request, urlopen

import pytest


@pytest.fixture
def gateway():
    if "GREENROOM_URL" not in os.environ:
        pytest.fail(f"No simulator runs. Start the tests by greenroom, with the command of {__file__}.")
    return Gateway(os.environ["GREENROOM_URL"] + "/_greenroom")


class Gateway:
    """What a test can do with the simulator."""

    def __init__(self, control):
        self.control = control

    def next(self, operation, **change):
        """Changes the next such request: next("${breakableOf(setting)}", fault="hang")."""
        body = json.dumps({"op": operation, **change}).encode()
        urlopen(Request(f"{self.control}/next", body, {"Content-Type": "application/json"})).close()

    def requests(self, operation="*"):
        """The requests of the client until now."""
        with urlopen(f"{self.control}/journal?operation={operation}") as response:
            return json.load(response)
`

function firstTest(
  setting: TestSetting,
  { title }: FirstClient,
  { call, code }: NonNullable<FirstClient['python']>,
): string {
  const { name, suffix } = urlOf(setting)
  const base = suffix === '' ? `os.environ["${name}"]` : `os.environ["${name}"][: -len("${suffix}")]`
  return `"""Sleeps and time-outs are virtual, so that a test of an hour takes milliseconds."""
import json
import os
from time import sleep
from urllib.error import HTTPError
from urllib.request import Request, urlopen


def test_${title.replaceAll(' ', '_')}(gateway):
    assert len(${call}) > 0
    assert {request["status"] for request in gateway.requests()} == {200, 503}


# A client to try it with. Import and call your own instead: it finds the gateway by ${name} and ${keyOf(setting)}.
${code}


def send_json(path, body=None):
    return json.loads(send(path, body))


def send(path, body=None):
    """Sends a request, and again while the gateway is busy."""
    headers = {"Authorization": f"Bearer {os.environ['${keyOf(setting)}']}", "Content-Type": "application/json"}
    data = None if body is None else json.dumps(body).encode()
    while True:
        try:
            with urlopen(Request(${base} + path, data, headers), timeout=30) as response:
                return response.read()
        except HTTPError as error:
            if error.code != 503:
                raise
        sleep(2)
`
}
