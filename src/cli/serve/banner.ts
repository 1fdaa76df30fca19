import { sdkVariables } from '../../apis/index.ts'
import { fillEndpoint } from '../../embedded/sdk-environment.ts'
import { formatDuration } from '../../engine/clock/duration.ts'
import type { ClockStatus } from '../../engine/clock/clock-settings.ts'
import type { EncoderStatus } from '../../media/source.ts'

/** The data that a server prints when it has started. `--log json` prints it unchanged. */
export interface Announcement {
  url: string
  dashboard: string
  /** The base URLs of the APIs. */
  bases: Readonly<Record<string, string>>
  /** A valid key. */
  key: string
  control: string
  /** Who may call the control API: every program on this machine, programs with the token, or no one. */
  controlAccess: 'open' | 'token' | 'closed'
  seed: string
  clock: ClockStatus
  encoder: EncoderStatus
  /** The user's handlers, and how they are served. */
  handlers?: string
}

/** The banner for people. The URL comes first, so that a script can read it. */
export function banner(announcement: Announcement): string {
  const { url, bases, key, seed, dashboard, encoder, handlers } = announcement
  const lines = {
    dashboard: dashboard + accessNote(announcement),
    ...bases,
    key,
    seed,
    clock: clockLine(announcement.clock),
    encoder: encoderLine(encoder),
    ...(handlers !== undefined && { handlers }),
  }
  const rows = Object.entries(lines).map(([name, value]) => `  ${name.padEnd(9)}  ${value}\n`)
  return `${url}\n${rows.join('')}`
}

/** Lines to paste into a shell, with the variables for SDKs. */
export function pasteHelp({ url, key }: Pick<Announcement, 'url' | 'key'>): string {
  return `# Submit, poll, download: paste these lines into a shell.
${submitLine(url, key)}
${pollLine(url, key)}
${downloadLine(url, key)}
# Or stream a chat completion:
${chatLine(url, key)}
# For SDKs.
${sdkVariables.map((pair) => exportLine(pair, url, key)).join('')}`
}

function exportLine(variables: Readonly<Record<string, string>>, url: string, key: string): string {
  const pairs = Object.entries(fillEndpoint(variables, { url, key }))
  return `export ${pairs.map((pair) => pair.join('=')).join(' ')}\n`
}

export function submitLine(url: string, key: string): string {
  return (
    `TASK=$(curl -fsS ${url}/v1/video/generations -H 'Authorization: Bearer ${key}' ` +
    `-H 'Content-Type: application/json' -d '{"model":"video-1","prompt":"a paper boat in the rain"}' ` +
    `| sed -n 's/.*"task_id":"\\([^"]*\\)".*/\\1/p'); echo $TASK`
  )
}

export function pollLine(url: string, key: string): string {
  return (
    `until curl -s ${url}/v1/video/generations/$TASK -H 'Authorization: Bearer ${key}' ` +
    `| tee /dev/stderr | grep -qE 'SUCCESS|FAILURE|error'; do sleep 5; done`
  )
}

export function downloadLine(url: string, key: string): string {
  return `curl -fL ${url}/v1/videos/$TASK/content -H 'Authorization: Bearer ${key}' -o clip.mp4`
}

/** The line that streams a chat completion. */
export function chatLine(url: string, key: string): string {
  return (
    `curl -sN ${url}/v1/chat/completions -H 'Authorization: Bearer ${key}' -H 'Content-Type: application/json' ` +
    `-d '{"model":"sim-text-1","stream":true,"messages":[{"role":"user","content":"Why do kites fly?"}]}'`
  )
}

function accessNote({ controlAccess }: Announcement): string {
  if (controlAccess === 'open') return ''
  return controlAccess === 'token'
    ? ', with Authorization: Bearer $GREENROOM_CONTROL_TOKEN'
    : ', closed: start with GREENROOM_CONTROL_TOKEN'
}

function clockLine({ mode, rate, pollStepMs, time }: ClockStatus): string {
  if (mode === 'real') return 'real; start with --rate 60 for 60 times the pace'
  if (mode === 'scaled') return `scaled: ${rate} virtual seconds per real second`
  if (mode === 'manual') return `manual: it stands at ${time} until you advance it`
  if (mode === 'host') return 'host: follows the Date of this process'
  return `auto: each poll of a task moves it on by ${formatDuration(pollStepMs)}`
}

function encoderLine({ candidate, verified, version, reason }: EncoderStatus): string {
  const program = verified ? `${candidate} (${version})` : candidate
  return reason === undefined ? program : `${program}: ${reason}`
}
