/** What the gateway calls an operation in a task's record (wire §7.5). */
export type DrawingAction =
  | 'IMAGINE'
  | 'UPSCALE'
  | 'VARIATION'
  | 'HIGH_VARIATION'
  | 'LOW_VARIATION'
  | 'REROLL'
  | 'DESCRIBE'
  | 'BLEND'
  | 'SHORTEN'
  | 'PAN'
  | 'ZOOM'
  | 'CUSTOM_ZOOM'
  | 'INPAINT'
  | 'SWAP_FACE'
  | 'UPLOAD'
  | 'VIDEO'
  | 'EDITS'

/** What the gateway bills an operation as, which is also the model that a key needs (wire §7.4). */
export function modelOf(action: DrawingAction): string {
  return action === 'SWAP_FACE' ? 'swap_face' : `mj_${action.toLowerCase()}`
}

/** What the gateway says of an accepted submission (wire §7.4). */
export const submitted = 'Submit success'

/** What it says when a dialog must be answered first; clients look for the word `confirm` (wire §7.8). */
export const waitsForDialog = 'Waiting for window confirm'

/** What it says when the same was asked before. */
export const existsAlready = '任务已存在'
