import { careful } from '../images.ts'

/** Retries every status, 400 and 401 too. */
export const habits = { ...careful, canRetry: () => true }
