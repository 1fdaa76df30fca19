import type { Operation } from '../engine/operations/operations.ts'
import { operationFacts, operations } from '../engine/operations/operations.ts'
import type { Route } from '../gateway/exchange.ts'
import { chatComplete } from './chat/complete.ts'
import { mjCancel } from './drawing/read/cancel.ts'
import { mjFetch } from './drawing/read/fetch.ts'
import { mjClip, mjImage, mjUploaded } from './drawing/read/image.ts'
import { mjAll, mjList, mjQueue } from './drawing/read/list.ts'
import { mjSeed } from './drawing/read/seed.ts'
import { mjAction } from './drawing/submit/action.ts'
import { mjBlend } from './drawing/submit/blend.ts'
import { mjChange, mjSimpleChange } from './drawing/submit/change.ts'
import { mjDescribe } from './drawing/submit/describe.ts'
import { mjEdits } from './drawing/submit/edits.ts'
import { mjImagine } from './drawing/submit/imagine.ts'
import { mjModal } from './drawing/submit/modal.ts'
import { mjShorten } from './drawing/submit/shorten.ts'
import { mjSwap } from './drawing/submit/swap.ts'
import { mjUpload } from './drawing/submit/upload.ts'
import { mjVideo } from './drawing/submit/video.ts'
import { embeddingsCreate } from './embeddings/create.ts'
import { modelsGet, modelsList } from './models/listing.ts'
import { modelsPrices } from './models/prices.ts'
import { textCount } from './native-text/count.ts'
import { textEmbed, textEmbedBatch } from './native-text/embed.ts'
import { textGenerate, textStream } from './native-text/generate.ts'
import { textModel, textModels } from './native-text/models.ts'
import { videosCreate } from './openai-video/create.ts'
import { videosDelete } from './openai-video/delete.ts'
import { videosList } from './openai-video/list.ts'
import { videosRemix } from './openai-video/remix.ts'
import { videosRetrieve } from './openai-video/retrieve.ts'
import type { ApiDeps } from './operation.ts'
import { responsesCreate } from './responses/create.ts'
import { responsesDelete, responsesInputItems, responsesRetrieve } from './responses/stored.ts'
import { videoContent } from './video/content.ts'
import { videoPoll } from './video/poll.ts'
import { videoSubmit } from './video/submit.ts'

/** The behaviour of every operation. */
const definitions: Readonly<Record<Operation, (deps: ApiDeps) => Route>> = {
  'video.submit': videoSubmit,
  'video.poll': videoPoll,
  'video.content': videoContent,
  'videos.create': videosCreate,
  'videos.retrieve': videosRetrieve,
  'videos.remix': videosRemix,
  'videos.list': videosList,
  'videos.delete': videosDelete,
  'text.generate': textGenerate,
  'text.stream': textStream,
  'text.count': textCount,
  'text.embed': textEmbed,
  'text.embed-batch': textEmbedBatch,
  'text.models': textModels,
  'text.model': textModel,
  'chat.complete': chatComplete,
  'responses.create': responsesCreate,
  'responses.retrieve': responsesRetrieve,
  'responses.input-items': responsesInputItems,
  'responses.delete': responsesDelete,
  'embeddings.create': embeddingsCreate,
  'models.list': modelsList,
  'models.get': modelsGet,
  'models.prices': modelsPrices,
  'mj.imagine': mjImagine,
  'mj.action': mjAction,
  'mj.change': mjChange,
  'mj.simple-change': mjSimpleChange,
  'mj.blend': mjBlend,
  'mj.describe': mjDescribe,
  'mj.modal': mjModal,
  'mj.shorten': mjShorten,
  'mj.edits': mjEdits,
  'mj.video': mjVideo,
  'mj.upload': mjUpload,
  'mj.swap': mjSwap,
  'mj.fetch': mjFetch,
  'mj.list': mjList,
  'mj.seed': mjSeed,
  'mj.image': mjImage,
  'mj.film': mjClip,
  'mj.uploaded': mjUploaded,
  'mj.all': mjAll,
  'mj.queue': mjQueue,
  'mj.cancel': mjCancel,
}

/** All operations. Those whose option is not set are marked, so that a 404 can name the option. */
export function createOperations(deps: ApiDeps): Route[] {
  return operations.map((name) => {
    const route = definitions[name](deps)
    const { option } = operationFacts[name]
    if (option === undefined || deps.options[option]) return route
    return { ...route, broughtBy: `${option.replace('.', ': { ')}: true }` }
  })
}
