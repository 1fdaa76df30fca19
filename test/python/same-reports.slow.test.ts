import { cpSync } from 'node:fs'
import { expect, it } from 'vitest'
import { findPython, pythonPrograms } from '../support/python.ts'
import { runStopped, type Stopped } from '../support/stopped-at-random.ts'
import { folderWith } from '../cli/run-in-folder.ts'

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
  ['a streamed and a plain text, as by the SDK of OpenAI', 'sdk.yaml', ['openai_like.py']],
  ['two streams at a time, as by the SDK of Anthropic', 'sdk.yaml', ['anthropic_like.py']],
  ['pytest', 'docs.yaml', ['-m', 'pytest', '-q', '-p', 'no:cacheprovider', 'test_sync.py']],
]

// At the same time, because a stopped process leaves the machine to others.
it.each(programs)(
  `passes, prints the same and reports the same bytes, whichever process the machine stops: %s${skipped}`,
  { timeout: 120_000, skip: !python, concurrent: true },
  async (_name, scenario, words) => {
    const all = ['run', '--virtual-timers', '--report', 'json=report.json']
    const run = (stopped: Stopped) => {
      const folder = folderWith({})
      cpSync(pythonPrograms, folder, { recursive: true })
      return runStopped(folder, [...all, scenario, '--', python!, ...words], stopped)
    }
    const first = await run('nothing')
    expect(first).toMatchObject({ code: 0, report: expect.stringContaining('"timing": "exact"') as string })
    expect(await run('either')).toEqual(first)
  },
)
