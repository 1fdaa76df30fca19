import type { ApiSettings } from '../../engine/operations/operation-table.ts'
import { quirk } from '../../scenario/schema/fields.ts'
import { expiredResults, type Variant } from '../define/exploration.ts'
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
      success: states.success,
      status: statusIn(expired),
    })
    return [operation.linkExpires === undefined ? { ...variant, needs: 'resultExpiresAfter' } : variant]
  })
}
