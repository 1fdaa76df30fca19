import { defineApi } from '../define/api.ts'
import { drawingLifecycle } from './lifecycle.ts'
import { mjCancel } from './read/cancel.ts'
import { mjFetch } from './read/fetch.ts'
import { mjClip, mjImage, mjUploaded } from './read/image.ts'
import { mjAll, mjList, mjQueue } from './read/list.ts'
import { mjSeed } from './read/seed.ts'
import { mjAction } from './submit/action.ts'
import { mjBlend } from './submit/blend.ts'
import { mjChange, mjSimpleChange } from './submit/change.ts'
import { mjDescribe } from './submit/describe.ts'
import { mjEdits } from './submit/edits.ts'
import { mjImagine } from './submit/imagine.ts'
import { mjModal } from './submit/modal.ts'
import { mjShorten } from './submit/shorten.ts'
import { mjSwap } from './submit/swap.ts'
import { mjUpload } from './submit/upload.ts'
import { mjVideo } from './submit/video.ts'

/** The drawing channel (§4.4–4.6), and what the stand-alone proxies add to it. */
export const drawingApi = defineApi({
  name: 'drawing',
  lifecycles: [drawingLifecycle],
  operations: [
    mjImagine,
    mjAction,
    mjChange,
    mjSimpleChange,
    mjBlend,
    mjDescribe,
    mjModal,
    mjShorten,
    mjEdits,
    mjVideo,
    mjUpload,
    mjSwap,
    mjFetch,
    mjList,
    mjSeed,
    mjImage,
    mjClip,
    mjUploaded,
    mjAll,
    mjQueue,
    mjCancel,
  ],
})
