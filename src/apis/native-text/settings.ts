import * as z from 'zod/mini'
import { may, quirk } from '../../scenario/schema/fields.ts'
import { textQuirks } from '../text/settings.ts'

/** The settings that the native text API brings. */
export const ownNativeSettings = {
  options: {
    nativeKeyHeaders: may(
      z.array(z.string().check(z.regex(/^[a-z0-9-]+$/, 'must be a header in lower case'))),
      'Headers that carry the key on native routes; the first one that a request has counts. Default `x-native-api-key` and `x-goog-api-key`.',
      ['x-goog-api-key'],
    ),
  },
  quirks: {
    nativeStreamWithoutAlt: quirk(
      ['sse', 'json-array'],
      'The format of a native stream without `alt=sse`: events, or a JSON array.',
    ),
    ...textQuirks,
  },
}

/** The header that the gateway's document names, and the one that its model vendor's own clients send (wire §1.2). */
export const defaultKeyHeaders = ['x-native-api-key', 'x-goog-api-key'] as const
