import type { Task } from '../../engine/tasks/tasks.ts'
import type { TaskView } from '../../engine/tasks/timeline.ts'

/**
 * The message that a signer signs.
 *
 * @example
 * const message: SignedMessage = { raw: '{"status":"ready"}', id: 'msg_1', now: 0 }
 * new Date(message.now).getUTCFullYear() // → 1970
 */
export interface SignedMessage {
  /** The body, as its bytes are sent. */
  readonly raw: string
  /** The id of the message, which a repetition of it has, too. */
  readonly id: string
  /** The instant of sending on the virtual clock, in milliseconds since 1970. */
  readonly now: number
}

/**
 * Makes the headers of a message. Must be pure.
 *
 * @example
 * const sign: SignMessage = ({ raw, id }) => ({ 'x-id': id, 'x-length': String(raw.length) })
 * sign({ raw: '{}', id: 'msg_1', now: 0 }) // → { 'x-id': 'msg_1', 'x-length': '2' }
 */
export type SignMessage = (message: SignedMessage) => Readonly<Record<string, string>>

/** When the callbacks of a kind of tasks are sent, and how. */
export interface CallbackPlan {
  /** What a callback reports of a state. Equal texts are sent once. Undefined: nothing is sent. */
  readonly changeOf: (task: Task, view: TaskView) => string | undefined
  /** Whether a URL may be called: it comes from a client. */
  readonly mayCall: (url: string) => boolean
  /** How to allow a URL, as a sentence. */
  readonly advice: string
  readonly sign?: SignMessage | undefined
  /** How long a receiver may take. */
  readonly timeoutMs: number
  /** How long after a refused attempt another one is made, for each of them. */
  readonly retriesMs: readonly number[]
  /** Whether the status of a receiver accepts the callback. */
  readonly accepts: (status: number) => boolean
}

/** A change of a task that is reported. */
export interface CallbackMessage {
  readonly id: string
  /** When the task changed. */
  readonly at: number
  /** The attempt to deliver it, from 0. */
  readonly attempt: number
}

/**
 * Whether a URL names this machine, or an allowed host. Other names that resolve to this machine are refused, because they may
 * later resolve to another one.
 *
 * @param allow names or IP addresses, without a port.
 * @assumed §6 callbacks are undocumented; wire §7.9 proposes loopback targets only.
 */
export function isAllowedTarget(url: string, allow: readonly string[]): boolean {
  if (!URL.canParse(url)) return false
  const { protocol, hostname, username } = new URL(url)
  if (!/^https?:$/.test(protocol) || username !== '') return false
  const host = hostname.replace(/^\[|\]$/g, '')
  return (
    host === 'localhost' ||
    host === '::1' ||
    /^127(?:\.\d{1,3}){3}$/.test(host) ||
    allow.some((name) => name.toLowerCase() === host)
  )
}
