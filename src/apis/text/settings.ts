import { bytesOf, caps } from '../../engine/caps.ts'
import type { TextTimingOption } from '../../scenario/vocabulary/types.ts'
import type { TextTiming, TextSettings } from '../../text/spec.ts'
import { checkTextSettings } from '../../text/fixed-answer.ts'
import { quirk } from '../../scenario/schema/fields.ts'
import type { Core } from '../../gateway/core.ts'
import { eventDialects } from './events/lists.ts'
import { callDialects } from './calls/lists.ts'
import { modelCatalog, type Catalog } from '../define/catalog.ts'

/** The settings of all APIs of texts. */
export interface TextApiSettings {
  readonly text: TextSettings
  readonly timing: TextTiming
  readonly catalog: Catalog
  /** Whether directives in a prompt take effect, such as `[[error 503]]`. */
  readonly promptDirectives: boolean
  /** The maximum number of messages in a conversation. */
  readonly messageLimit: number
  /** The maximum number of characters in the texts of a request. */
  readonly textLimitCharacters: number
  readonly imageLimitBytes: number
}

function listDialects(dialects: readonly { readonly name: string; readonly description: string }[]): string {
  return dialects.map(({ name, description }) => `\`${name}\`: ${description}`).join('; ')
}

/** The quirks of all APIs of texts. Each brings them. */
export const textQuirks = {
  sseNewline: quirk(['lf', 'crlf', 'cr'], 'The line ending of the events of streams.'),
  sseLines: quirk(
    ['plain', ...eventDialects.map(({ name }) => name)],
    `The lines of the events of streams. ${listDialects(eventDialects)}.`,
  ),
  toolCallDeltas: quirk(
    ['standard', ...callDialects.map(({ name }) => name)],
    `The calls of tools in streams. ${listDialects(callDialects)}. Only chats have all of these.`,
  ),
  usageByDefault: quirk(
    ['on', 'off', 'never'],
    'The usage of texts: without `stream_options`, a chat stream has it (`on`) or not (`off`); `never`: only messages have it.',
  ),
}

export const defaultTextLimits = { messages: 2_000, textCharacters: caps.textCharacters }

/** The paces with a name. */
const textPaces = {
  /** Without any wait. */
  instant: {},
  /** As fast as real models: a short wait, then about eighty tokens per second. */
  natural: {
    firstToken: { lognormal: { p50: '350ms', p95: '900ms', max: '3s' } },
    tokensPerSecond: 80,
  },
} as const satisfies Readonly<Record<Exclude<TextTimingOption, TextTiming>, TextTiming>>

function textPaceOf(option: TextTimingOption = 'natural'): TextTiming {
  return typeof option === 'string' ? textPaces[option] : option
}

/** The settings of a simulator. @throws {DurationError} {TextSettingsError} for an invalid pace or fixed answer. */
export function textSettings({
  use,
  options: { text = {}, limits = {}, ...options },
}: Core): TextApiSettings {
  const timing = textPaceOf(text.timing)
  checkTextSettings({ ...text, timing })
  return {
    text: { ...text, timing, promptDirectives: options.promptDirectives ?? true },
    timing,
    catalog: use(modelCatalog),
    promptDirectives: options.promptDirectives ?? true,
    messageLimit: defaultTextLimits.messages,
    textLimitCharacters: defaultTextLimits.textCharacters,
    imageLimitBytes: bytesOf(limits.imageMegabytes, caps.imageBytes),
  }
}
