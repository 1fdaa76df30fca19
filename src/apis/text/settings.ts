import type { TextTimingOption } from '../../scenario/vocabulary/types.ts'
import type { TextTiming, TextSettings } from '../../text/spec.ts'
import type { Catalog } from '../models/catalog.ts'

/** The settings of all APIs of texts. */
export interface TextApiSettings {
  readonly text: TextSettings
  readonly timing: TextTiming
  readonly catalog: Catalog
  /** Whether directives such as `[[error 503]]` in a prompt are obeyed. */
  readonly promptDirectives: boolean
  /** Headers that may carry a key of the native API; the first one counts. */
  readonly nativeKeyHeaders: readonly string[]
  /** How many messages a conversation may have. */
  readonly messageLimit: number
  /** How many characters the texts of a request may have. */
  readonly textLimitCharacters: number
  readonly imageLimitBytes: number
}

/** The paces with a name. */
export const textPaces = {
  /** Without any wait. */
  instant: {},
  /** As fast as real models: a moment, then about eighty tokens per second. */
  natural: {
    firstToken: { lognormal: { p50: '350ms', p95: '900ms', max: '3s' } },
    tokensPerSecond: 80,
  },
} as const satisfies Readonly<Record<Exclude<TextTimingOption, TextTiming>, TextTiming>>

export function textPaceOf(option: TextTimingOption = 'natural'): TextTiming {
  return typeof option === 'string' ? textPaces[option] : option
}

/** The header that the gateway's document names, and the one that its model vendor's own clients send (wire §1.2). */
export const defaultNativeKeyHeaders = ['x-native-api-key', 'x-goog-api-key'] as const
