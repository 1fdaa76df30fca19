import { expect, it, onTestFinished, vi } from 'vitest'
import { hostTimers } from '../../../src/engine/clock/timers/host-timers.ts'
import { explore, type ExploredGateway, ExploreError, parseScenario } from '../../../src/index.ts'
import { toMatrix } from '../../../src/judge/explore/reports/matrix.ts'
import { careful, makeVideo } from './planted/video.ts'
import { needs } from '../../support/needs.ts'

/** Small enough for a fast test. */
const few = { only: ['rate limit', 'corrupt bytes', 'silence'] }

const findingsOf = async (exploring: Promise<unknown>): Promise<ExploreError> => {
  const error = await exploring.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  expect(error).toBeInstanceOf(ExploreError)
  return error as ExploreError
}

it('finds nothing in a good client', { timeout: 120_000 }, async () => {
  const { findings, cells, score } = await explore((gateway) => makeVideo('a red kite', gateway))
  expect(findings).toEqual([])
  expect(cells.length).toBeGreaterThan(90)
  expect(score).toBe(100)
})

it('reports what a client does wrong, with the scenario that shows it', async () => {
  const habits = { ...careful, verify: () => true }
  const exploring = explore((gateway) => makeVideo('a red kite', gateway, habits), few)
  const { message, findings } = await findingsOf(exploring)
  expect(findings).toMatchObject([{ severity: 'wrong result', operations: ['video.content'] }])
  expect(message).toContain('The client keeps a damaged download (video.content).')
  expect(message).toContain('corrupt')
  const { scenario } = await parseScenario(message.slice(message.indexOf('# To accept')))
  expect(scenario.rules).toMatchObject([{ fault: expect.anything() }])
})

it('passes with findings that are accepted', async () => {
  const one = { only: ['corrupt bytes'] }
  const habits = { ...careful, verify: () => true }
  const client = (gateway: Parameters<typeof makeVideo>[1]) => makeVideo('a red kite', gateway, habits)
  const { findings } = await findingsOf(explore(client, one))
  const accept = findings.map(({ key }) => key)
  expect((await explore(client, { ...one, accept })).findings).toHaveLength(1)
})

it('finds a client that waits forever, though it costs no real time', async () => {
  const habits = { ...careful, timeoutMs: Infinity }
  const exploring = explore((gateway) => makeVideo('a red kite', gateway, habits), { only: ['silence'] })
  const { findings } = await findingsOf(exploring)
  expect(findings).toMatchObject([{ severity: 'hung', habit: 'no-deadline' }])
  expect(findings[0]!.advice).toContain(
    'Then repeat video.poll, video.content a few times; report video.submit, which may have been accepted.',
  )
})

it('lets the deadline of a client pass while a body is being read', async () => {
  const began = performance.now()
  await explore((gateway) => makeVideo('a red kite', { ...gateway }), {
    only: ['corrupt bytes'],
    scenario: {
      version: 1,
      rules: [{ match: { op: 'video.content' }, times: 1, fault: { type: 'slow-start', for: 'forever' } }],
    },
  })
  expect(performance.now() - began).toBeLessThan(15_000)
})

it('refuses a selection of nothing', async () => {
  await expect(explore(async () => {}, { only: ['vido.*'] })).rejects.toThrow('only is "vido.*"')
})

it('names the variant of the gateway in which a client downloads nothing', async () => {
  needs('video.submit')
  const habits = {
    ...careful,
    redirect: 'manual' as const,
    check: async (_: unknown, got: Response) => got,
    verify: () => true,
  }
  const exploring = explore((gateway) => makeVideo('a red kite', gateway, habits), {
    only: ['redirected downloads'],
  })
  expect((await findingsOf(exploring)).findings).toMatchObject([
    {
      key: 'wrong result | skips-download | any',
      sentence: 'The client succeeds, but never downloads what its task made (redirected downloads).',
      detail: expect.stringContaining('was never downloaded') as unknown,
    },
  ])
})

it('names a payment that a run makes twice in one finding', async () => {
  const exploring = explore(
    (gateway) => makeVideo('a red kite', gateway).catch(() => makeVideo('a red kite', gateway)),
    { only: ['404 task'] },
  )
  const { findings } = await findingsOf(exploring)
  expect(findings.map(({ key }) => key)).toEqual(['paid twice | resubmits'])
})

it('shows a gateway that differs in one way at the operation in which it differs', async () => {
  const { cells } = await explore((gateway) => makeVideo('a red kite', gateway), {
    only: ['429', 'redirected downloads'],
  })
  const { places, rows } = toMatrix(cells)
  const { states } = rows.find(({ injection }) => injection === 'redirected downloads')!
  const at = places.findIndex(({ operation }) => operation === 'video.content')
  expect(states).toEqual(places.map((_, index) => (index === at ? 'survived' : undefined)))
})

it('counts gateways that differ in its score, and gives none if nothing was tried', async () => {
  const client = (gateway: Parameters<typeof makeVideo>[1]) => makeVideo('a red kite', gateway)
  expect((await explore(client, { only: ['gateway'] })).score).toBe(100)
  const { message } = await findingsOf(
    explore(async () => Promise.reject(new Error('no')), { only: ['gateway'] }),
  )
  expect(message).not.toContain('Score')
})

it('explores over a scenario that it has written', async () => {
  const rule = {
    id: 'fault-503',
    optional: true,
    match: { op: 'models.list' as const },
    respond: { status: 503 },
  }
  const { cells } = await explore((gateway) => makeVideo('a red kite', gateway), {
    only: ['503'],
    scenario: { version: 1, rules: [rule] },
  })
  expect(cells.map(({ state }) => state)).toEqual(cells.map(() => 'survived'))
})

it('compares no result that depends on how long a job takes, as that of a user who stops waiting does', async () => {
  const client = async ({ fetch, sleep, baseUrl, key }: ExploredGateway): Promise<string> => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    let isStopped = false
    void sleep(60_000).then(() => (isStopped = true))
    const body = JSON.stringify({ model: 'video-1', prompt: 'a red kite', duration: 1, size: '128x96' })
    const submitted = await fetch(`${baseUrl}/v1/video/generations`, { method: 'POST', headers, body })
    const { task_id } = (await submitted.json()) as { task_id: string }
    while (!isStopped) {
      await sleep(6_000)
      const polled = await fetch(`${baseUrl}/v1/video/generations/${task_id}`, { headers })
      const { data } = (await polled.json()) as { data: { status: string } }
      if (data.status === 'SUCCESS') return 'made'
    }
    return 'stopped'
  }
  const scenario = { version: 1, expect: { allow: { abandonedTasks: true } } } as const
  const { findings } = await explore(client, { only: ['queue 4m', 'slow 40s'], scenario })
  expect(findings).toEqual([])
})

it('drops a mistake on virtual time if its scenario passes, also if it is strict', async () => {
  const exploreOnce = (strict: boolean): ReturnType<typeof explore> => {
    let runs = 0
    // The fifth run is the first with a fault, and its repetition is careful.
    const client = (gateway: Parameters<typeof makeVideo>[1]): Promise<unknown> =>
      makeVideo('a red kite', gateway, {
        ...careful,
        verify: (...all) => ++runs === 5 || careful.verify(...all),
      })
    return explore(client, { only: ['corrupt'], strict })
  }
  for (const strict of [false, true]) {
    const { findings, score } = await exploreOnce(strict)
    expect([findings, score]).toEqual([[], 100])
  }
})

it('fails for what a budget left out only if it is strict, and says how much that is', async () => {
  const { elapsedMs } = hostTimers
  const exploreUntilLate = async (strict: boolean): ReturnType<typeof explore> => {
    let [runs, skippedMs] = [0, 0]
    vi.spyOn(hostTimers, 'elapsedMs').mockImplementation(() => elapsedMs() + skippedMs)
    onTestFinished(() => void vi.restoreAllMocks())
    const client = (gateway: Parameters<typeof makeVideo>[1]): Promise<unknown> => {
      // The second run with a fault, after four without one.
      if (++runs === 6) skippedMs += 60_000
      return makeVideo('a red kite', gateway)
    }
    return explore(client, { only: ['503', '429'], budget: '30s', strict })
  }
  const { cells, left, score } = await exploreUntilLate(false)
  expect([cells.length, score]).toEqual([2, null])
  const { message, findings } = await findingsOf(exploreUntilLate(true))
  expect(findings).toEqual([])
  expect(message).toContain(`stopped early: ${left.length} of ${left.length + 2} schedules were not tried`)
})

it('says that a client sends nothing in its second run, as one with a cache does', async () => {
  let cached: Promise<unknown> | undefined
  const client = (gateway: Parameters<typeof makeVideo>[1]) => (cached ??= makeVideo('a red kite', gateway))
  const { message } = await findingsOf(explore(client, few))
  expect(message).toContain('sent requests in its first run, and none in its second')
})

it('judges no slow response if the time-outs of the client are real', async () => {
  const client = (gateway: Parameters<typeof makeVideo>[1]) => makeVideo('a red kite', gateway)
  const { cells, score } = await explore(client, { only: ['slow 40s'] })
  expect(cells.map(({ state }) => state)).toEqual(cells.map(() => 'not judged'))
  expect(score).toBe(null)
  const { message } = await findingsOf(explore(client, { only: ['slow 40s'], strict: true }))
  expect(message).toContain('not judged (–): 4 schedules')
})

it('judges slow responses of a client without time-outs', async () => {
  const client = (gateway: Parameters<typeof makeVideo>[1]) =>
    makeVideo('a red kite', gateway, { ...careful, timeoutMs: Infinity })
  const { cells } = await explore(client, { only: ['slow 40s'] })
  expect(cells.map(({ state }) => state)).toEqual(cells.map(() => 'survived'))
})

it('judges slow responses of a client that gives up requests by the given sleep', async () => {
  const { cells } = await explore(
    ({ fetch, sleep, ...gateway }) => {
      const send: typeof globalThis.fetch = async (input, init) => {
        const [late, done] = [new AbortController(), new AbortController()]
        void sleep(60_000, { signal: done.signal }).then(
          () => late.abort(),
          () => {},
        )
        return fetch(input, { ...init, signal: late.signal }).finally(() => done.abort())
      }
      return makeVideo('a red kite', { fetch: send, sleep, ...gateway }, { ...careful, timeoutMs: Infinity })
    },
    { only: ['slow 40s'] },
  )
  expect(cells.map(({ state }) => state)).toEqual(cells.map(() => 'survived'))
})

/** Makes a video twice, and repeats no poll that it can't read. */
const makeBoth = async (gateway: Parameters<typeof makeVideo>[1], isAgain: boolean): Promise<void> => {
  const readTask: typeof careful.readTask = async (response) => {
    if (!/json/.test(response.headers.get('content-type') ?? '')) throw new Error('not JSON')
    return careful.readTask(response)
  }
  const make = () => makeVideo('a red kite', gateway, { ...careful, readTask, canRetry: () => false })
  const errors: unknown[] = []
  for (let made = 0; made < 2;) {
    const isMade = await make().then(
      () => true,
      (error: unknown) => errors.push(error) === 0,
    )
    if (isMade || !isAgain) made++
  }
  if (errors.length > 0) throw errors[0]
}

it.each([
  ['continues with its next task', false, []],
  ['submits the same task again', true, ['paid twice']],
] as const)('after a poll that it could not read, a client %s', async (_name, isAgain, severities) => {
  const exploring = explore((gateway) => makeBoth(gateway, isAgain), { only: ['wrong-type'] })
  const { findings } = await findingsOf(exploring)
  const found = findings.map(({ severity }) => severity).filter((severity) => severity === 'paid twice')
  expect(found).toEqual(severities)
})

it('finds a client that does not pass on why a task failed', async () => {
  const exploreWith = (toError: (error: Error) => Error) =>
    explore(
      (gateway) => makeVideo('a red kite', gateway).catch((error: Error) => Promise.reject(toError(error))),
      {
        only: ['fails'],
      },
    )
  await exploreWith((error) => error)
  const { findings } = await findingsOf(exploreWith(() => new Error('it failed')))
  expect(findings.map(({ key }) => key)).toEqual([expect.stringContaining('hides-the-reason')])
})
