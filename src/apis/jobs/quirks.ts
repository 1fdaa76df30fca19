import type { ApiSettings } from '../../engine/operations/operation-table.ts'
import { quirk } from '../../scenario/schema/fields.ts'
import { expiredResults, type Variant } from '../define/exploration.ts'
import { firstWords, type WordChoice } from './job/state-words.ts'
import type { ApiDefinition } from './kit/definition.ts'
import { statusIn } from './replies/replies.ts'

/** The settings of the quirks of a definition. */
export function quirkSettings(quirks: NonNullable<ApiDefinition['quirks']>): ApiSettings['quirks'] {
  return Object.fromEntries(
    Object.entries(quirks).map(([name, { values, description, profiles }]) => [
      name,
      quirk(values, description, profiles),
    ]),
  )
}

/** A gateway for each quirk that a client must cope with. */
export function quirkVariants({ quirks = {} }: ApiDefinition, prefix: string): Variant[] {
  return Object.entries(quirks).flatMap(([name, { values, variant }]) => {
    if (!variant) return []
    const { id, operation, advice, isUnread = false } = variant
    return [{ id, operation: `${prefix}.${operation}`, advice, isUnread, quirks: { [name]: values.at(-1)! } }]
  })
}

/** The quirks that choose among several words for a state. */
export function wordQuirks(choices: readonly WordChoice[]): NonNullable<ApiDefinition['quirks']> {
  return Object.fromEntries(
    choices.map(({ quirk: name, words, role }) => {
      const values = words as [string, string, ...string[]]
      return [name, { values, description: `The word for the state \`${role}\` of a job.` }]
    }),
  )
}

/**
 * A gateway for each further word for a state. There is none for words of failures, because a run without a failure does not
 * show them.
 */
export function wordVariants(
  choices: readonly WordChoice[],
  operations: ApiDefinition['operations'],
  prefix: string,
): Variant[] {
  const [poll] = Object.entries(operations).find(([, { role }]) => role === 'poll') ?? []
  if (poll === undefined) return []
  return choices
    .filter(({ role }) => ['queue', 'work', 'success'].includes(role))
    .flatMap(({ words, quirk: name }) =>
      words.slice(1).map((word) => ({
        id: `${prefix} ${word}`,
        operation: `${prefix}.${poll}`,
        advice: `A job may be ${words.join(' or ')} in the same state: know each word.`,
        quirks: { [name]: word },
      })),
    )
}

/** A gateway for each download, whose links must be renewed. Some vendors give no new link, unless the scenario says so. */
export function expiredLinks(
  { name, refusals = {}, states }: ApiDefinition,
  prefix: string,
  operations: ApiDefinition['operations'],
): Variant[] {
  return Object.entries(operations).flatMap(([key, operation]) => {
    if (operation.role !== 'download') return []
    const { noResult = 404, expired = noResult } = { ...refusals, ...operation.refusals }
    const variant = expiredResults(`expired ${name}.${key}`, `${prefix}.${key}`, {
      success: firstWords(states).success,
      status: statusIn(expired),
    })
    return [operation.linkExpires === undefined ? { ...variant, needs: 'resultExpiresAfter' } : variant]
  })
}
