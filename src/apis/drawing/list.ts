import * as z from 'zod/mini'
import { once } from '../../engine/once.ts'
import { may, named } from '../../scenario/schema/fields.ts'
import { defineForm } from '../define/form.ts'
import { constrain, lenient } from '../../scenario/schema/json-values.ts'
import { readId } from '../jobs/request/read-id.ts'
import { drawingError } from './refusals.ts'

/** More than real requests have. */
export const maxIds = 1_000

const id = once(() =>
  constrain(z.unknown(), {
    anyOf: [{ type: 'string' }, { type: 'integer' }, { description: 'Ignored.' }],
  }),
)

/** @assumed §7 the error for malformed JSON is undocumented; wire §2.4. */
export const refuseList = () => drawingError(4, 'do_request_failed')

export const listForm = defineForm(
  () =>
    named(
      'ListRequest',
      z.object({
        ids: may(
          lenient(constrain(z.array(id()), { maxItems: maxIds })),
          'At most 1,000. What is no id is ignored.',
        ),
      }),
      'The ids of tasks.',
    ),
  refuseList,
)

/** The ids in a body, each once. Some clients send numbers. */
export function readIds({ ids = [] }: { readonly ids?: readonly unknown[] | undefined }): string[] {
  if (ids.length > maxIds) throw refuseList().withHint(`ids has ${ids.length} entries, at most ${maxIds}.`)
  return [...new Set(ids.map(readId).filter((id) => id !== undefined))]
}
