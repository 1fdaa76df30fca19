import type { JsonObject } from '../../../gateway/bodies/json.ts'
import { definitionError, type GatewayError } from '../../../gateway/replies/errors.ts'
import { runWatched } from '../../define/watched-functions.ts'
import type { Form } from '../../define/form.ts'
import { noPromises } from '../kit/call-defined.ts'
import type { SubmitOperation } from '../kit/submission.ts'
import type { Refuse } from '../replies/replies.ts'

type BodySchema = Exclude<SubmitOperation['body'], Form<never>>

/** The form of a submission, by the schema of its definition. */
export function submitForm(name: string, { body }: Pick<SubmitOperation, 'body'>, refuse: Refuse): Form {
  if ('read' in body) return body as unknown as Form
  // A request is read for the journal and for the task, in one turn that nothing interrupts: its body is parsed once.
  let latest: { readonly body: JsonObject; readonly parsed: Parsed } | undefined
  return {
    schema: body as unknown as Form['schema'],
    read: (fields) => {
      if (latest?.body !== fields)
        latest = { body: fields, parsed: runWatched(name, 'body', () => parseBody(name, body, fields)) }
      const { value, issues } = latest.parsed
      if (issues.length === 0) return value
      throw invalid(refuse, issues)
    },
  }
}

interface Parsed {
  readonly value: unknown
  readonly issues: readonly { readonly path: readonly PropertyKey[]; readonly message: string }[]
}

/** @throws {GatewayError} 500 if the schema throws, or has async checks. */
function parseBody(name: string, schema: BodySchema, body: JsonObject): Parsed {
  try {
    // `safeParse` would drop the promise of an async check, and its rejection would end the process.
    const result =
      '_zod' in schema ? schema._zod.run({ value: body, issues: [] }, { async: true }) : undefined
    if (!(result instanceof Promise)) {
      if (result?.issues.length === 0) return { value: result.value, issues: [] }
      const { data, error } = (schema as unknown as Parser).safeParse(body)
      return { value: data, issues: error?.issues ?? [] }
    }
    result.catch(() => {})
  } catch (error) {
    throw definitionError(name, 'body', error)
  }
  throw definitionError(name, 'body', noPromises)
}

interface Parser {
  readonly safeParse: (body: JsonObject) => { data?: unknown; error?: { issues: Parsed['issues'] } }
}

function invalid(refuse: Refuse, issues: Parsed['issues']): GatewayError {
  const listed = issues.map(({ path, message }) => ({
    path: path.map((each) => (typeof each === 'symbol' ? String(each) : each)),
    message,
  }))
  const message = listed.map(({ path, message }) => `${path.join('.') || 'body'}: ${message}`).join('; ')
  return refuse('invalidBody', { message, issues: listed })
}
