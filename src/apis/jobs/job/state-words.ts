import type { ApiDefinition } from '../kit/definition.ts'
import type { JobStates, StateWords } from './states.ts'

type Role = keyof JobStates

const wordsIn = (words: string | readonly string[] | undefined): readonly string[] =>
  words === undefined ? [] : [words].flat()

/** Words of a definition that has none, since its operations have no jobs. */
const defaultStates: StateWords = {
  queue: 'queued',
  work: 'running',
  success: 'succeeded',
  failure: 'failed',
}

/** Whether a definition makes jobs or serves those of another one. Otherwise, it only has calls. */
export function hasJobs({ operations, jobsOf }: Pick<ApiDefinition, 'operations' | 'jobsOf'>): boolean {
  return jobsOf !== undefined || Object.values(operations).some(({ role }) => role !== 'call')
}

/** The first word of each state, which tasks and rules use. */
export function firstWords(states: StateWords = defaultStates): JobStates {
  const entries = Object.entries(states).map(([role, words]) => [role, wordsIn(words)[0]])
  return Object.fromEntries(entries) as unknown as JobStates
}

/** All words of all states. */
export function allWords(states: StateWords = defaultStates): string[] {
  return Object.values(states).flatMap((words) => wordsIn(words as string | readonly string[]))
}

/** A state with several words, and the quirk that chooses one of them. */
export interface WordChoice {
  readonly role: Role
  readonly words: readonly string[]
  /** Such as `runwayQueue`. */
  readonly quirk: string
}

/** The states of a definition that have several words. */
export function wordChoices({
  name,
  states = defaultStates,
}: Pick<ApiDefinition, 'name' | 'states'>): WordChoice[] {
  const stem = name.replaceAll(/-(.)/g, (_, letter: string) => letter.toUpperCase())
  return Object.entries(states).flatMap(([role, words]) => {
    const all = wordsIn(words as string | readonly string[])
    const quirk = `${stem}${role[0]!.toUpperCase()}${role.slice(1)}`
    return all.length > 1 ? [{ role: role as Role, words: all, quirk }] : []
  })
}
