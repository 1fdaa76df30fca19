import { quirk } from '../../scenario/schema/fields.ts'
import { textQuirks } from '../text/settings.ts'

/** The settings that the native text API brings. */
export const ownNativeSettings = {
  quirks: {
    nativeStreamWithoutAlt: quirk(
      ['sse', 'json-array'],
      'The format of a native stream without `alt=sse`: events, or a JSON array.',
    ),
    ...textQuirks,
  },
}
