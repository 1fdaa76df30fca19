import fc from 'fast-check'

/** An action of a client or a test; tasks are numbered in the order of creation. */
export type Step =
  | { readonly do: 'video'; readonly prompt: string; readonly key: string }
  | { readonly do: 'imagine'; readonly prompt: string }
  | { readonly do: 'press'; readonly task: number }
  | { readonly do: 'poll' | 'draw' | 'fail' | 'remove'; readonly task: number }
  | { readonly do: 'chat' | 'respond' | 'recall' }
  | { readonly do: 'advance'; readonly byMs: number }

const task = fc.nat({ max: 7 })
const prompt = fc.constantFrom(
  'a kite',
  'a boat',
  'a fox [[fail: policy]]',
  'an owl [[stuck]]',
  'a hen [[queued 9s]]',
)

export const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    fc.record({ do: fc.constant('video' as const), prompt, key: fc.constantFrom('sk-rich', 'sk-poor') }),
    fc.record({ do: fc.constant('imagine' as const), prompt }),
    fc.record({ do: fc.constant('press' as const), task }),
    fc.record({ do: fc.constantFrom('poll', 'poll', 'draw', 'fail', 'remove'), task }),
    fc.record({ do: fc.constantFrom('chat', 'respond', 'recall') }),
    fc.record({ do: fc.constant('advance' as const), byMs: fc.integer({ min: 1, max: 40_000 }) }),
  ),
  { maxLength: 14 },
) as fc.Arbitrary<Step[]>

/** Options that use every part of the state: rules with counts, limits, balances, throttles. */
export const settings = {
  clock: { mode: 'manual' },
  keys: ['sk-poor', { key: 'sk-rich', balance: 3 }],
  video: { listAndDelete: true },
  rules: [
    { id: 'flaky', match: { op: 'video.poll' }, attempts: [429, 'ok', 503] },
    {
      id: 'third',
      match: { op: '*.submit' },
      on: 3,
      per: 'key',
      task: { outcome: 'failure' },
      set: { seen: true },
    },
    {
      id: 'after',
      match: { op: 'chat.complete' },
      when: { vars: { seen: true } },
      chance: 0.5,
      respond: { status: 500 },
    },
  ],
  throttles: [
    { id: 'rate', match: { op: ['chat.*', 'text.*'] }, rate: { requests: 3, per: '20s' } },
    { id: 'bucket', match: { op: 'video.submit' }, bucket: { capacity: 3, refill: '1/10s' } },
  ],
} as const

/** The context of steps. */
export interface Stage {
  readonly call: (path: string, init?: RequestInit) => Promise<Response>
  /** The ids of created tasks, with a button of each drawing. */
  readonly made: string[]
}

/** Runs a step. @returns the response without exchange ids. */
export async function take(step: Step, { call, made }: Stage): Promise<unknown> {
  const post = (path: string, body: unknown, key = 'sk-rich'): Promise<Response> =>
    call(path, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  const get = (path: string, method = 'GET'): Promise<Response> =>
    call(path, { method, headers: { authorization: 'Bearer sk-rich' } })
  const id = 'task' in step ? (made[step.task] ?? 'none') : ''
  const response = made.findLast((each) => each.startsWith('resp_'))
  const answer = await {
    video: () =>
      'key' in step && post('/v1/video/generations', { model: 'video-1', prompt: step.prompt }, step.key),
    imagine: () => 'prompt' in step && post('/mj/submit/imagine', { prompt: step.prompt }),
    press: () => post('/mj/submit/change', { action: 'UPSCALE', index: 1, taskId: id }),
    poll: () => get(`/v1/video/generations/${id}`),
    draw: () => get(`/mj/task/${id}/fetch`),
    fail: () => post(`/_greenroom/tasks/${id}/transition`, { status: 'FAILURE', reason: 'by hand' }),
    remove: () => get(`/v1/videos/${id}`, 'DELETE'),
    chat: () =>
      post('/v1/chat/completions', { model: 'sim-text-1', messages: [{ role: 'user', content: 'why?' }] }),
    respond: () =>
      post('/v1/responses', {
        model: 'sim-text-1',
        input: 'And now?',
        ...(response !== undefined && { previous_response_id: response }),
      }),
    recall: () => get(`/v1/responses/${response}`),
    advance: () => 'byMs' in step && post('/_greenroom/clock/advance', { by: step.byMs }),
  }[step.do]()
  if (!answer) throw new Error(`Failed to do ${JSON.stringify(step)}.`)
  const text = await answer.text()
  const [, task, fresh = task] = /"(?:task_id|result)":"([^"]+)"|^\{"id":"(resp_\w+)"/.exec(text) ?? []
  if (answer.ok && fresh !== undefined && !made.includes(fresh)) made.push(fresh)
  return { step: step.do, status: answer.status, id: answer.headers.get('x-oneapi-request-id'), text }
}
