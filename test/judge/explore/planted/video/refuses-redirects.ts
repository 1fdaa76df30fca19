import { careful } from '../video.ts'

/** Takes a redirect to the bytes for an error. */
export const habits = { ...careful, redirect: 'error' as const }
