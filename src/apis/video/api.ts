import { defineApi } from '../define/api.ts'
import { videoContent } from './content.ts'
import { videoLifecycle } from './lifecycle.ts'
import { videoPoll } from './poll.ts'
import { videoSubmit } from './submit.ts'

/** The gateway's own video API (§4.1–4.3). @assumed §4.3 HEAD is undocumented; wire §5 proposes it. */
export const videoApi = defineApi({
  name: 'video',
  lifecycles: [videoLifecycle],
  operations: [videoSubmit, videoPoll, videoContent],
})
