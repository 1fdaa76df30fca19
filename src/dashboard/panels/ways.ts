// The ways to break the gateway that have a button, each with its scenario rule.
import type { Role } from '../../engine/operations/facts.ts'
import { formatDuration } from '../data/format.ts'
import { now, origin } from '../data/store.ts'
import type { ListedRule } from '../data/types.ts'

/** A way to break the gateway: once, at the next request with a role, or by a rule until it is removed. */
export type Way = {
  readonly name: string
  readonly hint: string
} & ({ readonly role: Role | readonly Role[]; readonly effect: object } | { readonly rule: () => object })

export const waysByTitle: Readonly<Record<string, readonly Way[]>> = {
  'The next poll': [
    {
      name: 'is reset',
      hint: 'The connection closes without a response.',
      role: 'poll',
      effect: { fault: 'reset' },
    },
    {
      name: 'gets a 503',
      hint: 'A server error that goes away.',
      role: 'poll',
      effect: { respond: { status: 503 } },
    },
    {
      name: 'takes 20 s',
      hint: 'The response waits, on the clock.',
      role: 'poll',
      effect: { delay: '20s' },
    },
    {
      name: 'is not JSON',
      hint: 'The body ends in the middle.',
      role: 'poll',
      effect: { fault: 'invalid-json' },
    },
  ],
  'The next submission': [
    {
      name: 'gets a 429',
      hint: 'With a Retry-After of ten seconds.',
      role: 'submit',
      effect: { respond: { status: 429, retryAfter: '10s' } },
    },
    {
      name: 'is accepted, but its response is lost',
      hint: 'The task exists; the client never learns its id.',
      role: 'submit',
      effect: { fault: { type: 'reset', lost: 'answer' } },
    },
    {
      name: 'fails at 62 %',
      hint: 'Accepted, rendered in part, then refused.',
      role: 'submit',
      effect: { task: { outcome: 'failure', failAt: '62%', reason: 'content policy' } },
    },
    {
      name: 'never ends',
      hint: 'The task stays queued.',
      role: 'submit',
      effect: { task: { queued: 'forever' } },
    },
  ],
  'Downloads and streams': [
    {
      name: 'The next download is cut off',
      hint: 'After 40 % of the announced length.',
      role: 'download',
      effect: { fault: { type: 'truncate', at: '40%' } },
    },
    {
      name: 'The next download is corrupt',
      hint: 'Sixteen bytes differ; length and ETag are right.',
      role: 'download',
      effect: { fault: { type: 'corrupt', bytes: 16 } },
    },
    {
      name: 'All downloads are slow',
      hint: '20 kB per second, until you remove the rule.',
      rule: () => ({
        id: 'slow-downloads',
        match: { role: 'download' },
        fault: { type: 'drip', bytesPerSecond: 20_000 },
      }),
    },
    {
      name: 'The next stream breaks off',
      hint: 'A reset after the fifth chunk.',
      role: ['text', 'stream'],
      effect: { stream: { error: { afterChunk: 5, kind: 'reset' } } },
    },
  ],
  'The whole gateway': [
    {
      name: 'is down for 30 s',
      hint: 'Every response is a 503, from now on the clock.',
      rule: () => {
        const from = Math.max(0, Math.round((now() - origin.at) / 1000))
        return {
          id: `outage-${from}s`,
          match: { op: '*' },
          when: { clock: `${from}s..${from + 30}s` },
          respond: { status: 503, retryAfter: 'auto' },
        }
      },
    },
    {
      name: 'is flaky',
      hint: 'A tenth of all polls fail at random.',
      rule: () => ({ id: 'flaky', match: { role: 'poll' }, chance: '10%', respond: { status: 502 } }),
    },
    {
      name: 'is slow',
      hint: 'Every poll takes 0.4 to 2 seconds.',
      rule: () => ({ id: 'slow', match: { role: 'poll' }, delay: { uniform: ['400ms', '2s'] } }),
    },
    {
      name: 'is busy',
      hint: 'Every second submission gets a 429.',
      rule: () => ({
        id: 'busy',
        match: { role: 'submit' },
        every: 2,
        respond: { status: 429, retryAfter: '10s' },
      }),
    },
  ],
}

/** The scenario rule of a way. */
export function ruleOf(way: Way): object {
  return 'rule' in way ? way.rule() : { match: { role: way.role }, on: 1, ...way.effect }
}

/** Fields that decide when a rule applies, as opposed to its effect. */
const conditions = new Set([
  'id',
  'match',
  'times',
  'on',
  'every',
  'chance',
  'per',
  'when',
  'continue',
  'optional',
])

/** A rule in one line: `video.poll → reset`. */
export function summarizeRule({ rule }: ListedRule): string {
  const effects = Object.entries(rule)
    .filter(([name]) => !conditions.has(name))
    .map(([name, value]) => summarizeEffect(name, value))
  return `${[rule.match?.op ?? rule.match?.role ?? '*'].flat().join(', ')} → ${effects.join(', ')}`
}

function summarizeEffect(name: string, value: unknown): string {
  const { type, status } = (typeof value === 'object' && value !== null ? value : {}) as {
    type?: string
    status?: number
  }
  if (name === 'fault') return type ?? String(value)
  if (name === 'respond') return status === undefined ? 'another response' : `${status}`
  if (name === 'delay') return `delay${typeof value === 'object' ? '' : ` of ${durationOf(value)}`}`
  if (name === 'attempts' && Array.isArray(value))
    return `attempts ${value.map((each) => (typeof each === 'object' ? '…' : String(each))).join(', ')}`
  return name
}

function durationOf(value: unknown): string {
  return typeof value === 'number' ? formatDuration(value) : String(value)
}
