import { quirk } from '../../scenario/schema/fields.ts'
import { defineTextApi } from '../text/define-text-api.ts'
import { refusal } from '../text/ends/refusal.ts'
import { textGenerate, textStream } from './generate.ts'
import { nativeKey, nativeKeyPlaces } from '../text/native/request.ts'
import { readResponse } from './client/observe.ts'
import * as lists from './lists.ts'

const variables = { GOOGLE_GEMINI_BASE_URL: '${url}', GEMINI_API_KEY: '${key}' }

/** Native text generation (§4.7, §4.8), and what belongs to it: counting, embedding, listing. */
export const nativeTextApi = defineTextApi({
  name: 'native-text',
  title: 'Native text',
  description: 'Native text generation, and what belongs to it.',
  keys: nativeKeyPlaces,
  credential: nativeKey,
  base: { name: 'text', path: '/v1beta/models' },
  variables,
  quirks: {
    nativeStreamWithoutAlt: quirk(
      ['sse', 'json-array'],
      'The format of a native stream without `alt=sse`: events, or a JSON array.',
    ),
  },
  texts: { streams: textStream.name, of: '', calls: [], lacks: [refusal], tokenLimit: 'MAX_TOKENS' },
  readEvent: readResponse,
  ...lists,
  flows: [
    {
      name: 'text',
      summary: 'POST …:generateContent, as Gemini',
      operations: { submit: textGenerate.name },
      reads: ['model'],
      model: 'sim-text-1',
      keyHeader: 'x-native-api-key',
      load: async () => (await import('./client/flow.ts')).startText,
      first: {
        variables,
        calledBy: /:generateContent\b|\.generateContent\(/,
        load: async () => (await import('./client/flow.ts')).firstClient,
      },
    },
    {
      name: 'text-stream',
      summary: 'POST …:generateContent, as Gemini',
      operations: { submit: textStream.name },
      isStream: true,
      reads: ['model'],
      model: 'sim-text-1',
      keyHeader: 'x-native-api-key',
      load: async () => (await import('./client/flow.ts')).startTextStream,
    },
  ],
})
