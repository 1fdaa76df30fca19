import type { ApiClient } from '../../client/api-client.ts'
import { canResubmit, Impossible, Refused, TransportError } from '../../client/errors.ts'
import {
  downloadOrRenew,
  pollUntilEnded,
  type DownloadedFile,
  type FlowOutput,
  type StartFlow,
} from '../../client/task-result.ts'
import type { FirstClient } from '../../define/flow.ts'

/** A button of a result (wire §7.7). */
interface DrawingButton {
  readonly customId: string
  readonly emoji: string
  readonly label: string
}

/** A drawing task (§2.5, wire §7.5). */
interface DrawingRecord {
  readonly id: string
  readonly status: string
  readonly imageUrl?: string
  readonly failReason?: string
  readonly buttons?: readonly DrawingButton[] | null
  readonly properties?: { readonly finalPrompt?: string } | null
}

/** The response to a submission (§2.4). */
interface SubmittedDrawing {
  readonly id: string
  readonly opensDialog: boolean
  /** The prompt that the dialog suggests. */
  readonly finalPrompt: string | undefined
}

/** Submits a drawing, polls it, presses buttons and answers dialogs (§4.4 to §4.6). */
export const startDrawing: StartFlow = async (client, prompt, output) => {
  const submission = await submit(client, 'imagine', { prompt })
  output.tasks.push(submission.id)
  return async () => {
    const results = [await finish(client, submission, prompt, output)]
    for (const action of client.settings.actions) {
      const { parent, button } = findButton(action, results)
      const pressed = await submit(client, 'action', { taskId: parent.id, customId: button.customId })
      output.tasks.push(pressed.id)
      results.push(await finish(client, pressed, prompt, output))
    }
  }
}

/** Codes of submissions (wire §7.4): 1 and 22 (queued) are accepted, 21 opens a dialog, 23 is a full queue. */
const dialogCode = 21
const acceptedCodes = [1, 22, dialogCode]
const fullQueueCode = 23

function submit(
  client: ApiClient,
  path: string,
  body: Readonly<Record<string, unknown>>,
): Promise<SubmittedDrawing> {
  return client.retry(
    async () => {
      const response = await client.json(`/mj/submit/${path}`, { method: 'POST', body })
      const { code, result: id, description, properties } = response
      if (!acceptedCodes.includes(Number(code))) {
        throw new Refused(`code ${String(code)} ${String(description)}`, {
          status: 200,
          isRetryable: code === fullQueueCode,
        })
      }
      if (typeof id !== 'string' || id === '') throw new TransportError(`${path} returned no task`)
      const { finalPrompt } = (properties ?? {}) as { finalPrompt?: string }
      return { id, opensDialog: code === dialogCode, finalPrompt }
    },
    { canRetry: canResubmit },
  )
}

/** Answers the dialog, if there is one, polls the task to its end and downloads its image. */
async function finish(
  client: ApiClient,
  { id, opensDialog, finalPrompt }: SubmittedDrawing,
  prompt: string,
  { files }: FlowOutput,
): Promise<DrawingRecord> {
  let isAnswered = false
  const answerDialog = async (suggested: string | undefined): Promise<void> => {
    isAnswered = true
    await submit(client, 'modal', { taskId: id, prompt: suggested || prompt })
  }
  if (opensDialog) await answerDialog(finalPrompt)
  const followToEnd = (): Promise<DrawingRecord> =>
    pollUntilEnded(client, { success: 'SUCCESS', failure: 'FAILURE' }, async () => {
      const polled = (await client.json(`/mj/task/${id}/fetch`)) as unknown as DrawingRecord
      // Some dialogs show only in the state of their task.
      if (polled.status === 'MODAL' && !isAnswered) await answerDialog(polled.properties?.finalPrompt)
      return { record: polled, status: polled.status, reason: polled.failReason }
    })
  const record = await followToEnd()
  if (!client.settings.download) return record
  const fetchResult = (path: string, type: string): Promise<DownloadedFile> =>
    downloadOrRenew(client, followToEnd, { path, type })
  if (record.imageUrl) files.push(await fetchResult(`/mj/image/${record.id}`, 'image/'))
  return record
}

/** Finds the latest result with a button for an action. @throws {Impossible} if none has it. */
function findButton(
  action: string,
  results: readonly DrawingRecord[],
): { parent: DrawingRecord; button: DrawingButton } {
  for (const parent of results.toReversed()) {
    const button = matchButton(action, parent.buttons ?? [])
    if (button) return { parent, button }
  }
  const names = results.flatMap(({ buttons }) => (buttons ?? []).map(({ label, emoji }) => label || emoji))
  const known = names.length === 0 ? 'There are no buttons' : `There are ${[...new Set(names)].join(', ')}`
  throw new Impossible(`no result has a button for "${action}". ${known}.`)
}

/** Matches an action such as `upscale 2`, `pan left` or `repaint`, otherwise a label, an emoji or part of a button's id. */
function matchButton(action: string, buttons: readonly DrawingButton[]): DrawingButton | undefined {
  const [verb = '', ...rest] = action.trim().toLowerCase().split(/\s+/)
  const matches = buttonMatchers[verb]?.(rest.join(' '))
  return (
    (matches && buttons.find(matches)) ??
    buttons.find(({ label, emoji }) => label === action || emoji === action) ??
    buttons.find(({ customId }) => customId.includes(action))
  )
}

type ButtonMatcher = (button: DrawingButton) => boolean

const hasLabel =
  (label: string): ButtonMatcher =>
  (button) =>
    button.label.toLowerCase() === label

const hasIdPart =
  (part: string): ButtonMatcher =>
  ({ customId }) =>
    customId.includes(part)

/** Matchers by the verb of an action. Each gets the rest of the action. */
const buttonMatchers: Readonly<Record<string, (argument: string) => ButtonMatcher>> = {
  upscale: (argument) => {
    if (/^[1-4]$/.test(argument)) return hasLabel(`u${argument}`)
    // The names of the two upscalers differ between versions; the first is the subtle one.
    if (argument === '') return ({ label }) => label.startsWith('Upscale (')
    return hasLabel(`upscale (${argument})`)
  },
  vary: (argument) =>
    /^[1-4]$/.test(argument) ? hasLabel(`v${argument}`) : hasLabel(`vary (${argument || 'subtle'})`),
  repaint: () => hasIdPart('::Inpaint::'),
  zoom: (argument) =>
    argument === 'custom' ? hasIdPart('::CustomZoom::') : hasLabel(`zoom out ${argument || 2}x`),
  pan: (argument) => hasIdPart(`::pan_${argument}::`),
  reroll: () => hasIdPart('::reroll::'),
}

/** The client of `greenroom init`. */
export const firstClient: FirstClient = {
  title: 'makes a drawing although the gateway is busy at first',
  call: "makeDrawing('a red kite')",
  measure: 'byteLength',
  code: `function makeDrawing(prompt‹: string›)‹: Promise<ArrayBuffer>› {
  const { result: id } = await sendJson‹<{ result: string }>›('/mj/submit/imagine', { prompt })
  for (;;) {
    await sleep(5_000)
    const task = await sendJson‹<{ status: string; failReason: string }>›(\`/mj/task/\${id}/fetch\`)
    if (task.status === 'FAILURE') throw new Error(task.failReason)
    if (task.status === 'SUCCESS') break
  }
  return (await send(\`/mj/image/\${id}\`)).arrayBuffer()
}`,
}
