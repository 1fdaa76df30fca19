import type { ApiSettings } from '../../engine/operations/operation-table.ts'
import { defineApi, type Api } from '../define/api.ts'
import type { Variant } from '../define/exploration.ts'
import type { Operation } from '../define/operation.ts'
import type { CallDialect } from './calls/dialect.ts'
import type { TextEnd } from './ends/end.ts'
import { textEnds } from './ends/lists.ts'
import { eventDialects } from './events/lists.ts'
import { prepareWriter } from './prepare.ts'
import { textQuirks, textSettings } from './settings.ts'

/** What exploration knows of the texts of an API. */
interface TextFacts {
  /** The operation that streams. */
  readonly streams: string
  /** What its streams contain, such as ` of chats`, to tell the variants of APIs apart. */
  readonly of: string
  /** The ways in which gateways stream its calls of tools. */
  readonly calls: readonly CallDialect[]
  /** The ends of texts that it does not have with status 200. */
  readonly lacks: readonly TextEnd[]
  /** How it says that a text ended at the limit of tokens. */
  readonly tokenLimit?: string
  /** Whether every gateway sends the usage. */
  readonly hasUsage?: true
}

/** The parts of an API that all APIs of texts have in common. */
type CommonParts = 'settings' | 'exploration' | 'readSettings' | 'load' | 'modelKind'

/** Defines an API whose operations write texts. @param api `quirks` are its own. */
export function defineTextApi<
  const Operations extends readonly Operation[],
  Own extends ApiSettings['quirks'] = Record<never, never>,
>({
  texts,
  quirks,
  ...api
}: Omit<Api, 'operations' | CommonParts> & {
  readonly operations: Operations
  readonly texts: TextFacts
  readonly quirks?: Own
}) {
  const { lacks, tokenLimit } = texts
  return defineApi({
    readSettings: textSettings,
    load: prepareWriter,
    modelKind: 'text',
    ...api,
    settings: { quirks: { ...quirks, ...textQuirks } as Own & typeof textQuirks },
    exploration: {
      variants: streamVariants(texts),
      textEnds: textEnds.filter((end) => !lacks.includes(end)),
      ...(tokenLimit !== undefined && { tokenLimit }),
    },
  })
}

/** The gateways whose streams differ from ours. */
function streamVariants({ streams: operation, of, calls, hasUsage }: TextFacts): readonly Variant[] {
  const usage: Variant = {
    id: `no usage${of}`,
    operation,
    advice: 'A gateway may leave out the usage: take the number of tokens for unknown.',
    hasOwnResult: true,
    quirks: { usageByDefault: 'never' },
  }
  return [
    ...(hasUsage ? [] : [usage]),
    ...(['crlf', 'cr'] as const).map((value): Variant => {
      const name = value.toUpperCase()
      const advice = `Lines of a stream may end in ${name}: read it with a parser of server-sent events.`
      // Some parsers wait for a line feed after the last CR, and the last event matters.
      const isUnread = value === 'cr'
      const quirks = { sseNewline: value }
      return { id: `${name} events${of}`, operation, at: 'stream', advice, isUnread, quirks }
    }),
    ...eventDialects.map(({ name, title, advice, isUnread = false }): Variant => {
      return { id: title + of, operation, at: 'stream', advice, isUnread, quirks: { sseLines: name } }
    }),
    ...calls.map(({ name, title, advice, isUnread = false }): Variant => {
      return { id: title + of, operation, at: 'calls', advice, isUnread, quirks: { toolCallDeltas: name } }
    }),
  ]
}
