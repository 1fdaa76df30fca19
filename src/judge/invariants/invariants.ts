import { shippedInvariants } from '../../apis/index.ts'
import type { GeneralInvariant } from './invariant.ts'
import * as lists from './lists.ts'

/** The general invariants, and those of the shipped APIs. */
export const invariants: readonly GeneralInvariant[] = [...lists.invariants, ...shippedInvariants]

export const findInvariant = (wanted: string): GeneralInvariant | undefined =>
  invariants.find(({ name }) => name === wanted)

export const invariantNames = invariants.map(({ name }) => name)

/** What a good client never breaks, whether it has ended or not. */
export const runningInvariants = invariants.flatMap(({ name, atEnd }) => (atEnd ? [] : name))

/** Those that are judged at the end of every run. */
export const endInvariants = invariants.flatMap(({ name, atEnd }) => (atEnd ? name : []))
