import type { Role } from '../../engine/operations/facts.ts'
import type { MediaShape, Respond, Rule, ScriptedAnswer, StreamShape } from '../vocabulary/types.ts'
import type { TaskShape } from '../../engine/tasks/plan-task.ts'
import type { Fault } from '../faults/index.ts'

/** The last chunk before a stream is cut off. */
export function cutAfter(cut: StreamShape['cut']): number {
  return typeof cut === 'number' ? cut : (cut?.afterChunk ?? Infinity)
}

/** The parts of a request that rules match on. */
export interface Matchable {
  operationName: string
  /** What its operation does. */
  role: Role
  namespaceName: string
  /** The key of the client, unmasked. */
  keyName: string
  /** The account of the key: one for all credentials that a client signs. */
  accountName: string
  /** The id of its task, or the identity of a request that has no task yet. */
  subject: string
  /** The number of earlier identical requests. */
  attempt: number
  /** The instant of admission, and the time since the start of the namespace's clock. */
  now: number
  elapsedMs: number
  model?: string
  prompt?: string
  /** The state of its task. */
  state?: string
  /** Its task, or the task that it is about to create. */
  task?: { readonly nth?: number; readonly model?: string; readonly prompt?: string }
  body: Readonly<Record<string, unknown>>
  /** Returns a header; empty if it is missing. The name is in lower case. */
  header: (name: string) => string
  query: string
}

/**
 * A rule with its counters.
 *
 * @example
 * sim.next('video.submit', { respond: { status: 429 } })
 * const [rule]: ListedRule[] = sim.rules()
 * rule // → { layer: 'next', eligible: 0, fired: 0, … }
 */
export interface ListedRule {
  /** The layer: `next` and `added` come from run time, `file` from the start. Stronger layers come first. */
  layer: 'next' | 'added' | 'file'
  id: string
  /** The only namespace that the rule applies to; missing if it applies to all. */
  namespace?: string
  /** How many requests the rule matched, and how often it fired. */
  eligible: number
  fired: number
  /** Whether it has fired as often as it may. Only the latest 20 spent `next` rules stay listed. */
  spent: boolean
  rule: Rule
}

/** Why a rule fired or didn't. */
export interface RuleReason {
  readonly rule: string
  readonly fired: boolean
  readonly why: string
}

/** The only effect of a rule, if it may change nothing. */
export type OnlyEffect = 'fields' | 'fault' | 'stream'

/** The decision of the rules for a request. */
export interface RuleDecision {
  /** The rules that fired. */
  rules: readonly string[]
  /** The rules of these that have fired in vain if the response stays as it is. */
  uncertain?: readonly { readonly rule: string; readonly only: OnlyEffect }[]
  /** The reasons of all rules. */
  reasons: () => readonly RuleReason[]
  delayMs: number
  task: TaskShape
  respond?: Respond
  answer?: ScriptedAnswer
  stream?: StreamShape
  media?: MediaShape
  fault?: Fault
  /** Variables to set whose values contain templates. */
  sets?: readonly NonNullable<Rule['set']>[]
}

/** The decision if no rule fires. */
export const noDecision: RuleDecision = { rules: [], reasons: () => [], delayMs: 0, task: {} }

/** The media properties that a rule sets. Missing ones come from the task. */
export interface MadeMedia {
  /** The absolute path of a file. */
  readonly file?: string
  /** Whole seconds. */
  readonly seconds?: number
  /** In pixels; even numbers. */
  readonly width?: number
  readonly height?: number
  readonly framesPerSecond?: number
}

/** Reads a media shape that was checked when its rule was added. */
export function readMediaShape({ file, seconds, size, fps }: MediaShape): MadeMedia {
  const [width, height] = size?.split('x').map(Number) ?? []
  return {
    ...(file !== undefined && { file }),
    ...(seconds !== undefined && { seconds }),
    ...(width !== undefined && height !== undefined && { width, height }),
    ...(fps !== undefined && { framesPerSecond: fps }),
  }
}

/** The properties of a rendered clip, as opposed to one served from a file. */
export function sizeAndLength({ file: _file, ...made }: MadeMedia): Omit<MadeMedia, 'file'> {
  return made
}
