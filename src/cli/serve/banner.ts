import { samples, sdkVariables } from '../../apis/index.ts'
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
  const pasted = samples.flatMap(({ comment, lines }) =>
    comment === undefined ? [] : [`# ${comment}`, ...lines],
  )
  const exported = sdkVariables.map((pair) => {
    const variables = Object.entries(pair).map((variable) => variable.join('='))
    return `export ${variables.join(' ')}`
  })
  return fillEndpoint([...pasted, '# For SDKs.', ...exported, ''].join('\n'), { url, key })
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
