import { defineApi } from '../define/api.ts'
import { textCount } from './count.ts'
import { textEmbed, textEmbedBatch } from './embed.ts'
import { textGenerate, textStream } from './generate.ts'
import { textModel, textModels } from './models.ts'

/** Native text generation (§4.7, §4.8), and what belongs to it: counting, embedding, listing. */
export const nativeTextApi = defineApi({
  name: 'native-text',
  operations: [textGenerate, textStream, textCount, textEmbed, textEmbedBatch, textModels, textModel],
})
