import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { folderWith, never, runIn } from '../cli/run-in-folder.ts'
import { findPython, pythonPrograms } from '../support/python.ts'

const python = findPython('requests', 'tenacity', 'httpx', 'aiohttp')
const skipped = python ? '' : ' (skipped: needs requests, tenacity, httpx and aiohttp)'

interface ReportedFinding {
  readonly key: string
  readonly place: string
  readonly advice: string
}

/** Explores a program. @returns its findings. */
async function explore(
  program: string,
  only: readonly string[],
  ...flags: readonly string[]
): Promise<ReportedFinding[]> {
  const folder = folderWith({})
  const tried = only.flatMap((name) => ['--only', name])
  const all = ['--virtual-timers', '--jobs', '2', '--report', 'json=report.json', ...tried, ...flags]
  const words = ['explore', ...all, '--', python!, join(pythonPrograms, program)]
  const environment = { PATH: process.env['PATH'] }
  const { code, warned } = await runIn(folder, words, { interrupted: never, environment })
  const report = readFileSync(join(folder, 'report.json'), 'utf8')
  const { explorations } = JSON.parse(report) as { explorations: { findings: ReportedFinding[] }[] }
  const found = explorations.flatMap(({ findings }) => findings)
  expect(code, warned).toBe(found.length > 0 ? 20 : 0)
  return found
}

const careful: readonly (readonly [program: string, only: readonly string[]])[] = [
  ['worker.py', ['hang', 'no answer', 'truncate', '429 seconds', '401']],
  ['worker.py', ['crash']],
  ['aio_worker.py', ['hang', 'truncate', '503']],
  ['openai_like.py', ['hang', 'stream', 'rate limit', '401']],
  ['anthropic_like.py', ['hang', 'stream', '429 seconds', '401']],
]

it.skipIf(!python).each(careful)(
  `accuses no careful program in Python of anything: %s, %s${skipped}`,
  { timeout: 120_000 },
  async (program, only) =>
    expect(await explore(program, only, ...(only.includes('crash') ? ['--crash'] : []))).toEqual([]),
)

const planted: readonly (readonly [mistake: string, bug: string, only: string, key: string])[] = [
  ['has no time-out', 'no-timeout', 'hang', 'hung | '],
  ['submits again', 'resubmit', 'no answer', 'paid twice | '],
  ['ignores Retry-After', 'impatient', '429 seconds', 'honours-retry-after'],
  ['loses a task at a crash', 'forgets', 'crash', 'resubmits-after-crash'],
]

it.skipIf(!python).each(planted)(
  `finds a worker in Python that %s${skipped}`,
  { timeout: 120_000 },
  async (_mistake, bug, only, key) => {
    const flags = only === 'crash' ? ['--crash'] : []
    const found = await explore('worker.py', [only], '--env', `BUG=${bug}`, '--env', 'JOBS=1', ...flags)
    expect(found.map((each) => each.key)).toContainEqual(expect.stringContaining(key))
  },
)

it.skipIf(!python)(`finds a program in Python that takes a cut stream for whole${skipped}`, async () => {
  const found = await explore('cut_stream.py', ['cut stream'])
  expect(found.map(({ key }) => key)).toContainEqual(expect.stringContaining('wrong result | '))
})

it.skipIf(!python)(
  `names the line of the request with its caller, and a time-out of Python${skipped}`,
  async () => {
    const flags = ['--env', 'BUG=no-timeout', '--env', 'JOBS=1']
    const [found] = await explore('worker.py', ['hang'], ...flags)
    // `submit` is called at another line than the polls, and both send by one function.
    expect(found!.place).toMatch(/^worker\.py:\d+ from worker\.py:\d+$/)
    expect(found!.advice).toContain('In Python: timeout= of requests')
  },
)
