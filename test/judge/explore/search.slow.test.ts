import { expect, it } from 'vitest'
import { drive } from '../../../src/judge/client/drive.ts'
import {
  createSelection,
  explore,
  type Exploration,
  type Finding,
  type RunClient,
  type SearchOptions,
} from '../../../src/judge/explore/index.ts'
import { inProcess, type Gateway } from './in-process.ts'
import { makeVideo } from './planted/video.ts'

interface VideoRecord {
  readonly data: { readonly status: string; readonly fail_reason?: string }
}

/** A client that never repeats a request, and polls every five seconds without end. */
async function makeVideoOnce({ fetch, sleep, baseUrl, key }: Gateway): Promise<unknown> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const send = async (path: string, init?: RequestInit): Promise<Response> => {
    const response = await fetch(baseUrl + path, { headers, ...init })
    if (!response.ok) throw new Error(`${path} returned ${response.status}`)
    return response
  }
  const body = JSON.stringify({ model: 'video-1', prompt: 'a kite', duration: 1, size: '128x96' })
  const submitted = await send('/v1/video/generations', { method: 'POST', body })
  const { task_id: id } = (await submitted.json()) as { task_id: string }
  for (;;) {
    await sleep(5_000)
    const { data } = (await (await send(`/v1/video/generations/${id}`)).json()) as VideoRecord
    if (data.status === 'FAILURE') throw new Error(data.fail_reason || 'no reason')
    if (data.status === 'SUCCESS') break
  }
  return { id, bytes: new Uint8Array(await (await send(`/v1/videos/${id}/content`)).arrayBuffer()) }
}

const exploreVideo = (options: SearchOptions = {}): Promise<Exploration> =>
  explore(inProcess(makeVideoOnce), { jobs: 8, ...options })

it('finds what a careless client does wrong, and says each mistake once', async () => {
  const { findings, score } = await exploreVideo()
  expect(findings.map(({ key }) => key)).toEqual([
    'wrong result | keeps-damaged-bytes | video.content',
    'hung | no-deadline',
    'hung | polls-forever',
    'gave up | not-retried | video.submit | video.poll | video.content',
  ])
  expect(findings.every(({ schedule }) => schedule.parts.length <= 2)).toBe(true)
  expect(score).toBeLessThan(70)
}, 180_000)

it('comes to the same cells and findings with any number of jobs', async () => {
  const isSelected: SearchOptions['isSelected'] = ({ injection }) =>
    ['rate limit', 'network', 'stale'].includes(injection.family)
  const [one, other] = [
    await exploreVideo({ isSelected, jobs: 1 }),
    await exploreVideo({ isSelected, jobs: 5 }),
  ]
  const summarize = ({ cells, findings }: Exploration): unknown => [
    cells.map(({ schedule, state }) => [schedule.name, state]),
    findings.map(({ key, schedules }) => [key, schedules]),
  ]
  expect(summarize(one)).toEqual(summarize(other))
}, 180_000)

it('repeats each run that shows a mistake, so that a flaky one does not hide the others', async () => {
  const runs = new Map<string, number>()
  // The simplest schedule shows it once only.
  const rough: RunClient = (scenario, options) => {
    const nth = (runs.get(scenario.name!) ?? 0) + 1
    runs.set(scenario.name!, nth)
    const isFlaky = scenario.name === '503 @ video.content'
    const run = (isFlaky && nth > 1 ? careful : careless)(scenario, options)
    return run.then((of) => ({ ...of, isRealTime: true }))
  }
  const careful = inProcess((gateway) => makeVideo('a kite', gateway))
  const careless = inProcess(makeVideoOnce)
  const isSelected: SearchOptions['isSelected'] = ({ injection, place }) =>
    injection.family === 'server error' && place.operation === 'video.content'
  const { findings, repetitions } = await explore(rough, { isSelected })
  expect(findings).toMatchObject([
    { habit: 'not-retried', isFlaky: false, unrepeated: ['503 @ video.content'] },
  ])
  const [{ schedule, schedules, key }] = findings as [Finding]
  expect(schedule.name).toBe('500 @ video.content')
  expect(schedules).toHaveLength(4)
  expect(schedules.map((name) => runs.get(name))).toEqual([2, 2, 2, 2])
  expect(repetitions.get(key)?.ended).toBe('failed')
})

it('repeats each finding once, and says what does not show again', async () => {
  let runs = 0
  const isSelected: SearchOptions['isSelected'] = ({ injection, place }) =>
    injection.id === '503' && place.operation === 'video.content'
  // Four runs without a fault come before.
  const play = inProcess((gateway) => (++runs === 5 ? makeVideoOnce(gateway) : makeVideo('a kite', gateway)))
  const careless: RunClient = async (...all) => ({ ...(await play(...all)), isRealTime: true })
  const { findings, repetitions } = await explore(careless, { isSelected: (part) => isSelected(part) })
  expect(findings).toMatchObject([{ habit: 'not-retried', isFlaky: true }])
  expect([...repetitions.values()].map(({ ended }) => ended)).toEqual(['succeeded'])
  const { findings: found } = await exploreVideo({ isSelected })
  expect(found).toMatchObject([{ habit: 'not-retried', isFlaky: false }])
})

it('plays variants of the gateway only if they are selected', async () => {
  const { cells } = await exploreVideo({ isSelected: createSelection(['gateway'], []) })
  const names = cells.map(({ schedule }) => schedule.name)
  expect(names).toEqual([
    'upstream statuses',
    'redirected downloads',
    'other words',
    'polls without data',
    'expired videos',
  ])
  const { cells: others } = await exploreVideo({ isSelected: createSelection(['503'], ['video.poll']) })
  expect(others.map(({ schedule }) => schedule.name)).toEqual(['503 @ video.submit', '503 @ video.content'])
})

it('tells a character that a client cut by its text', async () => {
  const decodeEachPacket = inProcess(async ({ fetch, baseUrl, key }) => {
    const response = await fetch(`${baseUrl}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        model: 'sim-text-1',
        stream: true,
        messages: [{ role: 'user', content: 'a kite' }],
      }),
    })
    let text = ''
    for await (const packet of response.body!) text += new TextDecoder().decode(packet)
    return text
  })
  const { findings } = await explore(decodeEachPacket, {
    isSelected: ({ injection }) => injection.id === 'split-character',
  })
  expect(findings.map(({ key }) => key)).toEqual(['wrong result | other-result | chat.complete'])
})

it('keeps what it found when it is interrupted', async () => {
  const interrupt = new AbortController()
  const { cells, findings, left, score } = await exploreVideo({
    jobs: 1,
    signal: interrupt.signal,
    onProgress: ({ mistakes }) => mistakes > 0 && interrupt.abort(),
  })
  expect(findings).toHaveLength(1)
  expect(cells.length + left.length).toBeGreaterThan(50)
  expect(score).toBe(null)
})

it.each(['video', 'openai-video', 'drawing', 'chat-stream', 'text-stream'] as const)(
  'finds nothing in the reference client: %s',
  async (flow) => {
    const run = inProcess(async ({ fetch, sleep, baseUrl: url, key, now }) => {
      const [outcome] = await drive({ flow, prompt: 'a kite' }, { fetch, url, key, sleep, now })
      if (outcome?.ended !== 'succeeded') throw new Error(`${outcome?.ended}: ${outcome?.reason}`)
      return outcome.files.map(({ bytes }) => bytes)
    })
    const { findings, score } = await explore(run, { jobs: 8 })
    expect(findings).toEqual([])
    expect(score).toBe(100)
  },
  180_000,
)

it('says that a client polls forever, also if a limit of real time ends its run', async () => {
  const play = inProcess(makeVideoOnce)
  const limited: typeof play = async (scenario, options) => {
    const of = await play(scenario, options)
    return of.ended === 'endless' ? { ...of, ended: 'hung', reason: 'the run took longer than 2m' } : of
  }
  const { findings } = await explore(limited, { isSelected: createSelection(['stuck'], []) })
  expect(findings).toMatchObject([{ key: 'hung | polls-forever', isFlaky: false }])
})

it('takes a client that sleeps for hours between polls at its own pace', async () => {
  const isSelected = createSelection(['stuck'], [])
  const poll = (maxPolls: number) =>
    inProcess(async (gateway) => {
      let polls = 0
      const sleep: Gateway['sleep'] = (ms) => {
        if (++polls > maxPolls) throw new Error('gave up after four days')
        return gateway.sleep(ms * 3_600)
      }
      return makeVideoOnce({ ...gateway, sleep })
    })
  const habitsOf = async (client: RunClient): Promise<string[]> =>
    (await explore(client, { isSelected })).findings.map(({ habit }) => habit)
  expect(await habitsOf(poll(20))).toEqual([])
  expect(await habitsOf(poll(Infinity))).toEqual(['polls-forever'])
}, 120_000)

it('lets a client report a response that is later than its own deadline', async () => {
  const impatient = inProcess((gateway) =>
    makeVideo('a kite', {
      ...gateway,
      fetch: async (input, init) => {
        const deadline = new AbortController()
        void gateway.sleep(30_000, { signal: deadline.signal }).then(
          () => deadline.abort(new Error('timed out')),
          () => {},
        )
        const response = gateway.fetch(input, { ...init, signal: deadline.signal })
        return response.finally(() => deadline.abort())
      },
    }),
  )
  const { cells } = await explore(impatient, { isSelected: createSelection(['slow 40s'], []) })
  expect(cells.map(({ schedule, state }) => [schedule.name, state])).toContainEqual([
    'slow 40s @ video.submit',
    'reported',
  ])
})
