import { cpSync } from 'node:fs'
import { expect, it } from 'vitest'
import { findPython, pythonPrograms } from '../support/python.ts'
import { runStopped, temporaryFolder, type Stopped } from '../support/stopped-at-random.ts'

const python = findPython('requests', 'tenacity', 'httpx', 'aiohttp', 'pytest')
const skipped = python ? '' : ' (skipped: needs requests, tenacity, httpx, aiohttp and pytest)'

/** Programs that know nothing of virtual time, as their users would write them. */
const programs: readonly (readonly [name: string, scenario: string, words: readonly string[]])[] = [
  ['requests with tenacity', 'docs.yaml', ['sync_client.py']],
  ['requests, whose polls hang', 'hang.yaml', ['sync_client.py']],
  ['a pool of threads', 'docs.yaml', ['pool_client.py']],
  ['httpx', 'docs.yaml', ['httpx_sync.py']],
  ['httpx in asyncio', 'docs.yaml', ['httpx_client.py']],
  ['streams of httpx', 'stream.yaml', ['httpx_stream.py']],
  ['a stream of aiohttp', 'chat.yaml', ['aiohttp_client.py']],
  ['two jobs of aiohttp', 'docs.yaml', ['aio_worker.py']],
  ['a worker with a thread for each job', 'docs.yaml', ['worker.py']],
  ['pytest', 'docs.yaml', ['-m', 'pytest', '-q', '-p', 'no:cacheprovider', 'test_sync.py']],
]

it.skipIf(!python).each(programs)(
  `passes, prints the same and reports the same bytes, whichever process the machine stops: %s${skipped}`,
  { timeout: 120_000 },
  async (_name, scenario, words) => {
    const variables = ['--env', 'GATEWAY_URL=${url}', '--env', 'GATEWAY_KEY=${key}']
    const all = ['run', '--virtual-timers', ...variables, '--report', 'json=report.json']
    const run = (stopped: Stopped) => {
      const folder = temporaryFolder({})
      cpSync(pythonPrograms, folder, { recursive: true })
      return runStopped(folder, [...all, scenario, '--', python!, ...words], stopped)
    }
    const first = await run('nothing')
    expect(first).toMatchObject({ code: 0, report: expect.stringContaining('"timing": "exact"') as string })
    expect(await run('either')).toEqual(first)
  },
)
