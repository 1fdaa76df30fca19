import * as z from 'zod/mini'
import { may } from '../../scenario/schema/fields.ts'
import { defineForm, type Form } from './form.ts'
import { integers, withDefault } from '../../scenario/schema/json-values.ts'

const pageQuery = (minLimit: number) =>
  z.object({
    limit: withDefault(integers(minLimit, 100), 20, 'How many are listed.'),
    order: withDefault(z.enum(['asc', 'desc']), 'desc', 'By time.'),
    after: may(z.string(), 'The id after which the page begins.'),
  })
type PageQuery = ReturnType<typeof pageQuery>

/**
 * The form of the query of a list in pages, as OpenAI's APIs have it.
 *
 * @param minLimit the least number that a page may have.
 * @param refuse puts a message about a parameter into the envelope of the API.
 */
export function pageForm(minLimit: number, refuse: (message: string) => Error): Form<PageQuery> {
  const refuseMisfit = ({ field }: { readonly field: string }): Error => {
    const values = field === 'order' ? 'asc or desc' : `a whole number from ${minLimit} to 100`
    return refuse(`${field} must be ${values}`)
  }
  return defineForm(() => pageQuery(minLimit), refuseMisfit, { isQuery: true })
}

/** The schema of a page of such items. */
export function pageSchema(item: z.ZodMiniType): z.ZodMiniType {
  return z.object({
    object: z.literal('list'),
    data: z.array(item),
    first_id: z.nullable(z.string()),
    last_id: z.nullable(z.string()),
    has_more: z.boolean(),
  })
}

/**
 * The page of a list that a query selects.
 *
 * @param items the oldest first.
 * @param how `unknown` makes the refusal of an `after` that names no item.
 */
export function writePage<Item>(
  items: readonly Item[],
  { limit, order, after }: z.output<PageQuery>,
  how: { idOf: (item: Item) => unknown; write: (item: Item) => unknown; unknown: () => Error },
): object {
  const sorted = order === 'asc' ? items : items.toReversed()
  const ids = sorted.map(how.idOf)
  const start = after === undefined ? 0 : ids.indexOf(after) + 1
  if (after !== undefined && start === 0) throw how.unknown()
  const end = start + limit
  return {
    object: 'list',
    data: sorted.slice(start, end).map(how.write),
    first_id: ids.slice(start, end).at(0) ?? null,
    last_id: ids.slice(start, end).at(-1) ?? null,
    has_more: limit > 0 && sorted.length > end,
  }
}
