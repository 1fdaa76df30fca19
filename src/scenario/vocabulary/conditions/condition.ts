import type * as z from 'zod/mini'

/** What conditions read of a request and its response, when the exchange has settled. Entries of the journal have all of it. */
export interface SettledRequest {
  readonly bytes: number
  readonly content: string | null
  readonly fault: string | null
  readonly final: boolean
  readonly hint: string | null
  readonly outcome: string
  readonly quota: number
  readonly reportedStatus: string | null
  readonly rules: readonly string[]
  readonly toolCalls?: readonly string[]
}

/** A condition of `expect.requests`: its schema, and what it means. The files of this folder are all conditions of this kind. */
export interface RequestCondition<
  Name extends string = string,
  Schema extends z.ZodMiniType = z.ZodMiniType,
> {
  /** The key. */
  readonly name: Name
  /** The place among the keys, and among the words of a finding. */
  readonly place: number
  readonly schema: Schema
  readonly isMet: (wanted: NonNullable<z.output<Schema>>, request: SettledRequest) => boolean
  /** What a finding says of the expectation. */
  readonly expected: (wanted: NonNullable<z.output<Schema>>) => string
  /** What a finding says of a request; undefined if it has nothing of this. */
  readonly actual?: (request: SettledRequest) => string | undefined
}

export const defineRequestCondition = <const Name extends string, Schema extends z.ZodMiniType>(
  condition: RequestCondition<Name, Schema>,
): RequestCondition<Name, Schema> => condition
