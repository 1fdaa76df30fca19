import { careful } from '../messages.ts'

/** Events that end with CRLF are never seen. */
export const habits = { ...careful, split: (text: string) => text.split('\n\n') }
