import type { Role } from '../../engine/operations/facts.ts'
import type { GoodClient } from '../../scenario/faults/fault.ts'
import type { Rule, Scenario } from '../../scenario/vocabulary/types.ts'
import type { InjectionPlace } from './places.ts'

/** The effect of a rule on the chosen request. */
export type InjectedEffect = Pick<Rule, 'respond' | 'fault' | 'delay' | 'task' | 'stream' | 'answer'>

/** A failure of a request, and what a good client does about it. */
export interface Injection extends GoodClient {
  /** Its name in the matrix. */
  readonly id: string
  /** The failure, as a sentence. */
  readonly description: string
  /** The kinds of requests that it can affect. */
  readonly at: readonly Role[]
  /** Whether it is tried only if it is named. */
  readonly isOnlyNamed?: true | undefined
  /** Whether it suits a request; missing: all. */
  readonly fits?: (place: InjectionPlace) => boolean
  /** The client crashes at the request: before the gateway accepts it, or before the response leaves. */
  readonly crash?: 'before' | 'accepted'
  /** How many requests it hits, from the chosen one on. Default 1. */
  readonly requests?: 3 | 'all'
  /** Whether the gateway refuses permanently, so that repeating can't help. */
  readonly isFinal?: true
  /** Whether no client can get the result of the baseline run. */
  readonly hasOwnResult?: true
  /** Whether a text ends early and says so: a client reports that, or requests the text again. */
  readonly endsEarly?: true
  /** Whether the server may have begun to work on the request: a client need not repeat one that costs money. */
  readonly mayHaveBegun?: true
  /** The beginning of the reason that the task gives, which a client must pass on. */
  readonly reason?: string
  /** The config of its run, in addition to that of the scenario. */
  readonly config?: Scenario['config']
  readonly effect: (place: InjectionPlace) => InjectedEffect
  /** A further rule, for all later requests. */
  readonly also?: (place: InjectionPlace) => Omit<Rule, 'id'>
}

/** Whether the client waits for a response until its own deadline. */
export const endsByTimeout = ({ reaction }: Injection): boolean => reaction === 'time-out'

/** Whether the client waits for what comes slowly. */
export const isSlow = ({ reaction }: Injection): boolean => reaction === 'wait'
