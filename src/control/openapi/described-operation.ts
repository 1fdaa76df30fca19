import type * as z from 'zod/mini'
import type { AnswerSchema } from '../../apis/define/operation-schema.ts'

/** One operation of the document, whichever table it comes from. */
export interface DescribedOperation {
  readonly id: string
  /** In lower case. */
  readonly method: string
  readonly path: string
  readonly tag: string
  readonly summary: string
  readonly description: string
  readonly security: readonly Readonly<Record<string, readonly string[]>>[]
  readonly query?: z.ZodMiniObject
  readonly headers?: z.ZodMiniObject
  /** Names of parameters in the components. */
  readonly parameters: readonly string[]
  readonly body?: z.ZodMiniType
  readonly bodyTypes: readonly string[]
  readonly answer: AnswerSchema
  /** The name of the response to a refusal. */
  readonly refusal: string
  readonly extensions: Readonly<Record<string, unknown>>
}

/** The name of the response to a refusal, by the title of its API. */
export function refusalName(title: string): string {
  return `${title.replaceAll(' ', '')}Refusal`
}
