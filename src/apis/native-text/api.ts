import { defineApi } from '../define/api.ts'
import { textCount } from './count.ts'
import { textEmbed, textEmbedBatch } from './embed.ts'
import { textGenerate, textStream } from './generate.ts'
import { textModel, textModels } from './models.ts'

/** Native text generation (§4.7, §4.8), and what belongs to it: counting, embedding, listing. */
export const nativeTextApi = defineApi({
  name: 'native-text',
  exploration: {
    variants: [{ id: 'CRLF events', operation: 'text.stream', quirks: { sseNewline: 'crlf' } }],
    tokenLimit: 'MAX_TOKENS',
  },
  operations: [textGenerate, textStream, textCount, textEmbed, textEmbedBatch, textModels, textModel],
  flows: [
    {
      name: 'text',
      summary: 'POST …:generateContent, as Gemini',
      operations: { submit: textGenerate.name },
      reads: ['model'],
      model: 'sim-text-1',
      keyHeader: 'x-native-api-key',
      load: async () => (await import('./flow.ts')).startText,
      first: {
        variables: { GOOGLE_GEMINI_BASE_URL: '${url}', GEMINI_API_KEY: '${key}' },
        load: async () => (await import('./flow.ts')).firstClient,
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
      load: async () => (await import('./flow.ts')).startTextStream,
    },
  ],
})
