import type { DriveContext } from '../../../src/judge/client/drive.ts'
import type { DriveStep } from '../../../src/index.ts'

/** The reference client with one bug. All of them live between the client and the world: it carries none itself. */
export type Mutate = (step: DriveStep, parts: DriveContext) => { step: DriveStep; parts: DriveContext }

export type Fetch = typeof fetch

/** A request as the client makes it, with its path. */
export interface Call {
  readonly url: string
  readonly path: string
  readonly init: RequestInit & { headers: Record<string, string> }
}

/** A mutant that answers some calls otherwise than the world would. */
export const between =
  (make: () => (call: Call, world: Fetch) => Promise<Response>): Mutate =>
  (step, parts) => {
    const answer = make()
    const fetch: Fetch = async (input, init) => {
      const url = String(input)
      const headers = { ...(init?.headers as Record<string, string>) }
      return answer({ url, path: new URL(url).pathname, init: { ...init, headers } }, parts.fetch)
    }
    return { step, parts: { ...parts, fetch } }
  }

const withStep =
  (more: Partial<DriveStep>): Mutate =>
  (step, parts) => ({ step: { ...step, ...more }, parts })

export const isPoll = ({ path, init }: Call): boolean =>
  init.method !== 'POST' && /\/video\/generations\/|^\/v1\/videos\/[^/]+$|\/fetch$/.test(path)
const isDownload = ({ path }: Call): boolean => /\/content$|\/mj\/(?:image|video)\//.test(path)
const isSubmission = ({ path, init }: Call): boolean =>
  init.method === 'POST' && /^\/v1\/video|\/mj\/submit/.test(path)
export const isStream = ({ path, init }: Call): boolean =>
  path.includes(':streamGenerateContent') || String(init.body).includes('"stream":true')

const idIn = async (response: Response): Promise<string> => {
  const { task_id, id, result } = (await response.clone().json()) as Record<string, string>
  return task_id ?? id ?? result ?? ''
}
const stateIn = async (response: Response): Promise<string> =>
  /"status":\s*"(SUCCESS|FAILURE|completed|failed)"/.exec(await response.clone().text())?.[1] ?? ''

const withHeaders = (response: Response, change: (headers: Headers) => void): Response => {
  const headers = new Headers(response.headers)
  change(headers)
  return new Response(response.body, { status: response.status, headers })
}

/** Submits again, and from then on means the new task by the old id. */
const resubmitting = (): {
  remember: (call: Call, response: Response) => Promise<void>
  again: (call: Call, world: Fetch) => Promise<void>
  meant: (call: Call) => string
} => {
  const submissions = new Map<string, Call>()
  const successors = new Map<string, string>()
  const idOf = ({ path }: Call): string => [...submissions.keys()].find((id) => path.includes(id)) ?? ''
  return {
    remember: async (call, response) => {
      if (response.ok) submissions.set(await idIn(response), call)
    },
    again: async (call, world) => {
      const submission = submissions.get(idOf(call))!
      successors.set(idOf(call), await idIn(await world(submission.url, submission.init)))
    },
    meant: (call) => call.url.replace(idOf(call), successors.get(idOf(call)) ?? idOf(call)),
  }
}

/** As much of a body as comes; that it breaks off isn't noticed. */
const whatever = async (body: ReadableStream<Uint8Array>): Promise<Blob> => {
  const pieces: BlobPart[] = []
  const reader = body.getReader()
  for (;;) {
    const next = await reader.read().catch(() => undefined)
    if (!next || next.done) return new Blob(pieces)
    pieces.push(next.value as Uint8Array<ArrayBuffer>)
  }
}

const endings = `data: {"candidates":[{"finishReason":"STOP"}],"choices":[{"delta":{},"finish_reason":"stop"}]}\n\n`

/** By name; what each does wrong is its name. */
export const mutants = {
  'ignores Retry-After': between(() => async ({ url, init }, world) => {
    return withHeaders(await world(url, init), (headers) => headers.delete('retry-after'))
  }),
  'polls after the end': between(() => async (call, world) => {
    const response = await world(call.url, call.init)
    if (isPoll(call) && (await stateIn(response)) !== '') await world(call.url, call.init)
    return response
  }),
  'downloads early': between(() => async (call, world) => {
    const response = await world(call.url, call.init)
    if (isSubmission(call) && response.ok) {
      const { headers } = call.init
      const place = call.path.startsWith('/mj') ? '/mj/image/ID' : '/v1/videos/ID/content'
      await world(new URL(place.replace('ID', await idIn(response)), call.url), { headers })
    }
    return response
  }),
  'never verifies a download': (step, parts) =>
    between(() => async (call, world) => {
      const response = await world(call.url, call.init)
      if (!isDownload(call) || !response.body) return response
      return new Response(await whatever(response.body), {
        status: response.status,
        headers: response.headers,
      })
    })({ ...step, verify: 'none' }, parts),
  'resubmits on a lost poll': between(() => {
    const { remember, again, meant } = resubmitting()
    return async (call, world) => {
      if (isSubmission(call)) {
        const response = await world(call.url, call.init)
        await remember(call, response)
        return response
      }
      try {
        return await world(meant(call), call.init)
      } catch (error) {
        if (isPoll(call)) await again(call, world)
        throw error
      }
    }
  }),
  'resubmits failed tasks': between(() => {
    const { remember, again, meant } = resubmitting()
    let left = 2
    return async (call, world) => {
      const response = await world(meant(call), call.init)
      if (isSubmission(call)) await remember(call, response)
      if (!isPoll(call) || !/^fail/i.test(await stateIn(response)) || left-- <= 0) return response
      await again(call, world)
      return new Response((await response.text()).replace(/"(FAILURE|failed)"/, '"queued"'))
    }
  }),
  'gives up too late': (step, parts) => withStep({ giveUpAfter: '20m' })(step, parts),
  'gives up too early': withStep({ giveUpAfter: '12s' }),
  'ignores the dialog': between(() => async (call, world) => {
    if (!call.path.endsWith('/submit/modal')) return world(call.url, call.init)
    const { taskId } = JSON.parse(String(call.init.body)) as { taskId: string }
    return Response.json({ code: 1, description: 'Submit success', result: taskId })
  }),
  'accepts a cut stream': between(() => async (call, world) => {
    const response = await world(call.url, call.init)
    if (!isStream(call) || !response.body) return response
    const text = await (await whatever(response.body)).text()
    const whole = text.slice(0, text.lastIndexOf('\n\n') + 2).replace(/^data: .*"error".*$/gm, '')
    const done = call.path.includes('chat') ? 'data: [DONE]\n\n' : ''
    return new Response(whole + endings + done, { headers: response.headers })
  }),
  'drops the key on download': between(() => async (call, world) => {
    const { authorization: _key, ...headers } = call.init.headers
    return world(call.url, isDownload(call) ? { ...call.init, headers } : call.init)
  }),
  'retries without back-off': (step, parts) => {
    let failed = 0
    const { parts: mutated } = between(() => async ({ url, init }, world) => {
      try {
        const response = await world(url, init)
        if (response.status >= 400) failed++
        return response
      } catch (error) {
        failed++
        throw error
      }
    })(step, parts)
    const sleep: DriveContext['sleep'] = (durationMs, options) => {
      const atOnce = failed > 0 && !options.signal
      if (atOnce) failed--
      return parts.sleep(atOnce ? 0 : durationMs, options)
    }
    return { step, parts: { ...mutated, sleep } }
  },
  'polls too fast': withStep({ pollEvery: '1s' }),
  'uses two keys': between(() => async (call, world) => {
    const other = (name: string): Record<string, string> => {
      const key = call.init.headers[name]
      return key === undefined ? {} : { [name]: /sk-sim-/.test(key) ? `${key}.second` : `${key}-second` }
    }
    if (isSubmission(call)) return world(call.url, call.init)
    const headers = { ...call.init.headers, ...other('authorization'), ...other('x-native-api-key') }
    return world(call.url, { ...call.init, headers })
  }),
} satisfies Readonly<Record<string, Mutate>>

export type MutantName = keyof typeof mutants
