import type { DriveContext } from '../../../src/judge/client/drive.ts'

/** One call of a client, as it went over the wire. */
export interface Wire {
  readonly what: string
  /** Virtual seconds since the first call. */
  readonly at: number
  readonly key: string
  readonly range: string
  /** 0 where no answer came. */
  readonly status: number
}

/** What happens to a call instead of, or after, what the gateway would do. */
export type Trouble =
  | { readonly status: number; readonly headers?: Record<string, string>; readonly body?: string }
  | 'lost'
  | 'truncated'
  | 'corrupt'
  | 'cut'

/** The troubles of the so-manieth call (from 1) of one kind. */
export type Troubles = Readonly<Record<string, (nth: number) => Trouble | undefined>>

/** The kind of a call, such as `POST generations` or `GET content`. */
function kindOf(url: string, method = 'GET'): string {
  const [last = '', before] = new URL(url).pathname.split('/').toReversed()
  if (before === 'generations') return `${method} poll`
  return `${method} ${last.replace(/^.*:/, '')}`
}

/** A gateway that is in trouble, and what went over the wire to it. */
export function troubled(parts: DriveContext, troubles: Troubles): { fetch: typeof fetch; wire: Wire[] } {
  const wire: Wire[] = []
  const startedAt = parts.now()
  const answer = async (url: string, init: RequestInit): Promise<Response> => {
    const kind = kindOf(url, init.method)
    const nth = wire.filter(({ what }) => what === kind).length + 1
    const headers = new Headers(init.headers)
    const entry = {
      what: kind,
      at: (parts.now() - startedAt) / 1_000,
      key: headers.get('authorization') ?? headers.get('x-native-api-key') ?? '',
      range: headers.get('range') ?? '',
      status: 0,
    }
    wire.push(entry)
    const trouble = troubles[kind]?.(nth)
    if (trouble === 'lost') throw lost('fetch failed', 'ECONNRESET')
    const response =
      typeof trouble === 'object'
        ? new Response(trouble.body ?? '{"error":{"message":"not now"}}', trouble)
        : await parts.fetch(url, init)
    entry.status = response.status
    return typeof trouble === 'string' ? spoiled(response, trouble) : response
  }
  return { wire, fetch: (input, init = {}) => answer(String(input), init) }
}

function lost(message: string, code: string): TypeError {
  return new TypeError(message, { cause: Object.assign(new Error(code), { code }) })
}

async function spoiled(response: Response, trouble: 'truncated' | 'corrupt' | 'cut'): Promise<Response> {
  const bytes = new Uint8Array(await response.arrayBuffer())
  const share = Math.floor(bytes.length * 0.4)
  if (trouble === 'corrupt') bytes[share]! ^= 0xff
  let gone = false
  const body = new ReadableStream({
    pull(controller) {
      if (!gone) controller.enqueue(trouble === 'corrupt' ? bytes : bytes.slice(0, share))
      else if (trouble === 'truncated') controller.error(lost('terminated', 'UND_ERR_SOCKET'))
      else controller.close()
      gone = true
    },
  })
  return new Response(body, { status: response.status, headers: response.headers })
}
