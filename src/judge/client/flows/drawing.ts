import type { ApiClient } from '../api-client.ts'
import { download } from '../download.ts'
import { pollUntilEnded } from '../poll.ts'
import { Impossible, TransportError, Refused } from '../errors.ts'
import type { FlowStart, Yield } from './flow.ts'

/** A button of a result (wire §7.7), as far as a client reads it. */
interface DrawingButton {
  readonly customId: string
  readonly emoji: string
  readonly label: string
}

/**
 * Which button is meant by an action such as `upscale 2`, `pan left` or `repaint`. What isn't known is taken for a
 * label, an emoji or a part of a button's id.
 */
function buttonFor(action: string, buttons: readonly DrawingButton[]): DrawingButton | undefined {
  const [verb = '', ...rest] = action.trim().toLowerCase().split(/\s+/)
  const fits = meanings[verb]?.(rest.join(' '))
  return (
    (fits && buttons.find(fits)) ??
    buttons.find(({ label, emoji }) => label === action || emoji === action) ??
    buttons.find(({ customId }) => customId.includes(action))
  )
}

type Fits = (button: DrawingButton) => boolean

const labelled =
  (label: string): Fits =>
  (button) =>
    button.label.toLowerCase() === label

const named =
  (part: string): Fits =>
  ({ customId }) =>
    customId.includes(part)

const meanings: Readonly<Record<string, (what: string) => Fits>> = {
  upscale: (what) => {
    if (/^[1-4]$/.test(what)) return labelled(`u${what}`)
    // Each version of the channel calls its two upscalers otherwise; the first is the careful one.
    return what === '' ? ({ label }) => label.startsWith('Upscale (') : labelled(`upscale (${what})`)
  },
  vary: (what) =>
    /^[1-4]$/.test(what) ? labelled(`v${what}`) : labelled(`vary (${what === '' ? 'subtle' : what})`),
  repaint: () => named('::Inpaint::'),
  zoom: (what) =>
    what === 'custom' ? named('::CustomZoom::') : labelled(`zoom out ${what === '' ? 2 : what}x`),
  pan: (what) => named(`::pan_${what}::`),
  reroll: () => named('::reroll::'),
  animate: (what) => named(`::animate_${what === '' ? 'high' : what}::`),
}

/** §2.5, and what wire §7.5 adds to it. */
interface DrawingRecord {
  readonly id: string
  readonly status: string
  readonly imageUrl?: string
  readonly videoUrls?: readonly { readonly url: string }[] | null
  readonly failReason?: string
  readonly buttons?: readonly DrawingButton[] | null
  readonly properties?: { readonly finalPrompt?: string } | null
}

/** §2.4 */
interface Submitted {
  readonly code: number
  readonly result: string
  /** What a dialog suggests. */
  readonly finalPrompt: string | undefined
}

/** A dialog waits behind an answer of this code (wire §7.4). */
const dialogCode = 21

/** Imagine, look, press buttons, answer dialogs (§4.4 to §4.6). */
export const startDrawing: FlowStart = async (caller, prompt, made) => {
  const { actions } = caller.settings
  const submission = await submit(caller, 'imagine', { prompt })
  made.tasks.push(submission.result)
  return async () => {
    const results = [await finish(caller, submission, prompt, made)]
    for (const action of actions) {
      const { parent, button } = find(action, results)
      const pressed = await submit(caller, 'action', { taskId: parent.id, customId: button.customId })
      made.tasks.push(pressed.result)
      results.push(await finish(caller, pressed, prompt, made))
    }
  }
}

/** Besides 1 there are 21, a dialog, and 22, a place in the queue; the rest says no (wire §7.4). A full queue, 23, passes. */
function submit(
  caller: ApiClient,
  path: string,
  body: Readonly<Record<string, unknown>>,
): Promise<Submitted> {
  return caller.trying(async () => {
    const answer = await caller.json(`/mj/submit/${path}`, { method: 'POST', body })
    const { code, result, description, properties } = answer
    if (code !== 1 && code !== 22 && code !== dialogCode) {
      throw new Refused(`code ${String(code)} ${String(description)}`, { status: 200, passes: code === 23 })
    }
    if (typeof result !== 'string' || result === '')
      throw new TransportError(`${path} was answered without a task`)
    const { finalPrompt } = (properties ?? {}) as { finalPrompt?: string }
    return { code, result, finalPrompt }
  })
}

/** Answers the dialog, where there is one, waits for the end, and looks at what was made. */
async function finish(
  caller: ApiClient,
  submission: Submitted,
  prompt: string,
  made: Yield,
): Promise<DrawingRecord> {
  const id = submission.result
  let answered = false
  const answerDialog = async (suggested: string | undefined): Promise<void> => {
    answered = true
    await submit(caller, 'modal', { taskId: id, prompt: suggested || prompt })
  }
  if (submission.code === dialogCode) await answerDialog(submission.finalPrompt)
  const record = await pollUntilEnded(caller, async () => {
    const seen = (await caller.json(`/mj/task/${id}/fetch`)) as unknown as DrawingRecord
    if (typeof seen.status !== 'string') throw new TransportError('the task was shown without a status')
    // The gateway tells of some dialogs only by the state of their task.
    if (seen.status === 'MODAL' && !answered) await answerDialog(seen.properties?.finalPrompt)
    return { record: seen, state: stateOf(seen.status), reason: seen.failReason }
  })
  if (caller.settings.download) await see(caller, record, made)
  return record
}

async function see(
  caller: ApiClient,
  { id, imageUrl, videoUrls }: DrawingRecord,
  made: Yield,
): Promise<void> {
  if (imageUrl) made.files.push(await download(caller, `/mj/image/${id}`, 'image/'))
  for (const [index] of (videoUrls ?? []).entries()) {
    made.files.push(await download(caller, `/mj/video/${id}/${index + 1}.mp4`, 'video/'))
  }
}

/** The latest result that has such a button. @throws {Impossible} where none has. */
function find(
  action: string,
  results: readonly DrawingRecord[],
): { parent: DrawingRecord; button: DrawingButton } {
  for (const parent of results.toReversed()) {
    const button = buttonFor(action, parent.buttons ?? [])
    if (button) return { parent, button }
  }
  const known = results.flatMap(({ buttons }) => (buttons ?? []).map(({ label, emoji }) => label || emoji))
  const there = known.length === 0 ? 'There are no buttons' : `There are ${[...new Set(known)].join(', ')}`
  throw new Impossible(`no result has a button for "${action}". ${there}.`)
}

function stateOf(status: string): 'going' | 'succeeded' | 'failed' {
  return status === 'SUCCESS' ? 'succeeded' : status === 'FAILURE' ? 'failed' : 'going'
}
