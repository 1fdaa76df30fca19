import * as z from 'zod/mini'
import { once } from '../../../engine/once.ts'
import { abortError, type GatewayError } from '../../../gateway/replies/errors.ts'
import { may, must, named } from '../../../scenario/schema/fields.ts'
import { defineForm, type Form } from '../../define/form.ts'
import type { Misfit } from '../../define/form.ts'
import { constrain, integers, lenient, words } from '../../../scenario/schema/json-values.ts'
import { drawingError, invalidDrawing, type refusalTexts } from '../refusals.ts'

/** The fields that all submissions have in common (wire §7.2). */
export const common = once(() => ({
  botType: may(lenient(z.string()), 'MID_JOURNEY or NIJI_JOURNEY. Other values are ignored.'),
  notifyHook: may(
    z.unknown(),
    'A URL that gets each change of the task. Ignored, unless `drawing.notifyHook` is set, which names the hosts.',
  ),
  state: may(z.unknown(), 'A text that the task has in its `state`. Other values are written as JSON.'),
  enableRemix: may(lenient(z.boolean()), 'Whether buttons open a dialog first. Other values count as false.'),
}))

export type CommonBody = z.output<z.ZodMiniObject<ReturnType<typeof common>>>

/** zod's parameter for a message about the value. */
interface Sentence {
  readonly error: (issue: { readonly input?: unknown }) => string | undefined
}

export function sentence(about: (value: unknown) => string | undefined): Sentence {
  return { error: ({ input }) => about(input) }
}

/** A code for a value that is missing, and a sentence about others. */
export function required(
  code: string,
  about: (value: unknown) => string | undefined = () => undefined,
): Sentence {
  return sentence((value) => (value === undefined || value === null || value === '' ? code : about(value)))
}

export const prompt = once(() =>
  must(
    z.string(required('prompt_is_required')).check(z.regex(/\S/, 'prompt_is_required')),
    'What is to be seen, with flags such as `--ar 16:9`.',
    'a red fox --ar 1:1',
  ),
)

/** The id of a task. Some clients send it as a number. */
export const taskId = once(() =>
  must(
    z.pipe(
      z.union([words, integers(-Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER)], 'task_id_is_required'),
      z.transform((id) => String(id).trim()),
    ),
    'The id of a task.',
  ),
)

const kinds = 'a data URL, base64 or a URL'
const text = { type: 'string' }
const described = (schema: object): z.ZodMiniUnknown => constrain(z.unknown(), schema)

/** An image. It is checked where it is decoded, before the form is read. */
export const image = once(() => must(described(text), `An image: ${kinds}.`))
export const optionalImage = once(() => may(described(text), `An image: ${kinds}.`))

/** An image, or several, in a list with these bounds. */
export function images(bounds: object): z.ZodMiniUnknown {
  const list = { type: 'array', items: text, ...bounds }
  return must(described({ anyOf: [text, list] }), `Images: ${kinds}.`)
}

/** One of some numbers, also as a text. */
export function numberOf(numbers: readonly number[], problem: Sentence): z.ZodMiniType<number> {
  const written = z.string().check(z.regex(new RegExp(`^0{0,5}[${numbers.join('')}]$`)))
  return z.pipe(z.union([z.literal(numbers), written], problem), z.transform(Number))
}

const textOfField: Readonly<Record<string, keyof typeof refusalTexts>> = {
  action: 'action',
  base64Array: 'imageCount',
  dimensions: 'dimensions',
}

/**
 * The refusal of a field. A sentence is the code of the gateway with perhaps a hint (`content_parse_failed: Write …`), its
 * message (`Invalid request: …`), or a hint for a code of the back end.
 *
 * @assumed §7 the answers to wrong fields are undocumented; wire §2.4 and §7.4.
 */
export function refuseSubmission({ field, sentence }: Misfit): GatewayError {
  const message = sentence ?? `Invalid request: Invalid Midjourney request: field ${field} must be a string`
  if (message.startsWith('Invalid request: ')) return abortError(400, message)
  const [, code, hint] = /^([a-z]+(?:_[a-z]+)+)(?:: (.+))?$/.exec(message) ?? []
  if (code === undefined) return invalidDrawing(textOfField[field] ?? 'parameter', message)
  const error = drawingError(4, code)
  return hint === undefined ? error : error.withHint(hint)
}

/** The form of a submission with these fields and the common ones, and keywords of JSON Schema. */
export function submissionForm<Shape extends z.core.$ZodShape>(
  name: string,
  description: string,
  describeFields: () => Shape,
  keywords: object = {},
): Form<z.ZodMiniObject<Shape & ReturnType<typeof common>>> {
  const describe = (): z.ZodMiniObject<Shape & ReturnType<typeof common>> =>
    named(name, constrain(z.object({ ...describeFields(), ...common() }), keywords), description)
  return defineForm(describe, refuseSubmission)
}
