import { defineApi } from '../define/api.ts'
import { chatComplete } from './complete.ts'

/** Chat completions (§4.9). */
export const chatApi = defineApi({
  name: 'chat',
  operations: [chatComplete],
})
