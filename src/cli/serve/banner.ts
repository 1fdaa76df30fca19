import { formatDuration } from '../../engine/clock/duration.ts'
import type { ClockStatus } from '../../engine/clock/clock-settings.ts'
import type { EncoderStatus } from '../../media/source.ts'
import { magicHelp } from '../../scenario/magic.ts'
import { promptFaultHelp } from '../../apis/text/prompt-fault.ts'
import { textMagicHelp } from '../../text/magic.ts'

/** What a server tells of itself when it has begun to answer. */
export interface Announcement {
  url: string
  /** A key that works. */
  key: string
  control: string
  /** Who may call it: anybody on this machine, who has the token, or nobody. */
  controlAccess: 'open' | 'token' | 'closed'
  clock: ClockStatus
  encoder: EncoderStatus
  /** Handlers of the user's own, and how they are served, if there are any. */
  handlers?: string
}

/** The text for people: the address first, then what to paste. */
export function banner(announcement: Announcement): string {
  const { url, key, control, encoder, handlers } = announcement
  return `${url}

  key      ${key}
  control  ${control}${accessNote(announcement)}
  clock    ${clockLine(announcement)}
  encoder  ${encoderLine(encoder)}${handlers === undefined ? '' : `\n  handlers ${handlers}`}
  prompts  ${magicHelp}
  texts    ${promptFaultHelp}  ${textMagicHelp}

# Submit, poll, download: paste as they stand.
${submitLine(url, key)}
${pollLine(url, key)}
${downloadLine(url, key)}

# Or ask for a text, word by word.
${askLine(url, key)}

# For SDKs.
export OPENAI_BASE_URL=${url}/v1 OPENAI_API_KEY=${key}
export GOOGLE_GEMINI_BASE_URL=${url} GEMINI_API_KEY=${key}
`
}

/** The three lines that can be pasted into a shell as they stand, one after the other or all at once. */
export function submitLine(url: string, key: string): string {
  return (
    `TASK=$(curl -s ${url}/v1/video/generations -H 'Authorization: Bearer ${key}' ` +
    `-H 'Content-Type: application/json' -d '{"model":"video-1","prompt":"a paper boat in the rain"}' ` +
    `| sed 's/.*"task_id":"\\([^"]*\\)".*/\\1/'); echo $TASK`
  )
}

export function pollLine(url: string, key: string): string {
  return (
    `until curl -s ${url}/v1/video/generations/$TASK -H 'Authorization: Bearer ${key}' ` +
    `| tee /dev/stderr | grep -qE 'SUCCESS|FAILURE|error'; do sleep 2; done`
  )
}

export function downloadLine(url: string, key: string): string {
  return `curl -fL ${url}/v1/videos/$TASK/content -H 'Authorization: Bearer ${key}' -o clip.mp4`
}

/** The line that shows a streamed answer. */
export function askLine(url: string, key: string): string {
  return (
    `curl -sN ${url}/v1/chat/completions -H 'Authorization: Bearer ${key}' -H 'Content-Type: application/json' ` +
    `-d '{"model":"sim-text-1","stream":true,"messages":[{"role":"user","content":"Why do kites fly?"}]}'`
  )
}

function accessNote({ controlAccess }: Announcement): string {
  if (controlAccess === 'open') return ''
  return controlAccess === 'token'
    ? ', with -H "Authorization: Bearer $GREENROOM_CONTROL_TOKEN"'
    : ', closed: start with GREENROOM_CONTROL_TOKEN'
}

function clockLine({ clock: { mode, rate, pollStepMs }, control }: Announcement): string {
  const jump = `curl -X POST ${control}/clock/advance -d '{"by":"1m"}'`
  if (mode === 'real') return `real; to hurry: start with --rate 60, or jump: ${jump}`
  if (mode === 'scaled') return `scaled: ${rate} seconds in one; jump: ${jump}`
  if (mode === 'manual') return `manual: it moves only when told: ${jump}`
  if (mode === 'host') return 'host: the Date of this process'
  return `auto: each poll of a task comes ${formatDuration(pollStepMs)} after the one before; jump: ${jump}`
}

function encoderLine({ candidate, verified, version, reason }: EncoderStatus): string {
  const program = verified ? `${candidate} (${version})` : candidate
  return reason === undefined ? program : `${program}: ${reason}`
}
