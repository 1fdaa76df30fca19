import type { Control } from '../../control/control.ts'
import type { RunningServer } from '../../server/start.ts'
import type { Terminal } from '../terminal/command.ts'
import { openBrowser } from '../terminal/open-browser.ts'
import { curlLines, directiveHelp, pasteHelp, type Announcement } from './banner.ts'
import type { RequestLog } from './log/log.ts'

const help = `  h  this help
  o  open the dashboard in a browser
  c  print and copy curl lines
  p  pause or play the clock
  q  quit
`

/**
 * Obeys single keys while a server runs.
 * @returns a function that stops it.
 */
export function obeyKeys(
  { readKeys, print }: Pick<Terminal, 'readKeys' | 'print'>,
  { server, announcement, log }: { server: RunningServer; announcement: Announcement; log: RequestLog },
): () => void {
  if (!readKeys) return () => {}
  const toggleClock = createClockSwitch(server, log.note)
  const actions: Readonly<Record<string, () => void>> = {
    h: () => log.note(`${help}\n${directiveHelp}`),
    o: () => void openDashboard(announcement, log),
    c: () => {
      // OSC 52: the terminal puts the text on the clipboard, also over SSH. One that can't ignores it.
      const copied = Buffer.from(curlLines(announcement)).toString('base64')
      log.note(`\u001b]52;c;${copied}\u0007${pasteHelp(announcement)}`)
    },
    p: toggleClock,
    '\r': () => print(''),
  }
  return readKeys((key) => actions[key.toLowerCase()]?.())
}

/** Opens the dashboard, or says why not. */
export async function openDashboard({ dashboard }: Announcement, log: RequestLog): Promise<void> {
  const problem = await openBrowser(dashboard)
  if (problem !== undefined) log.warn(problem)
}

/** An `auto` clock can be held for an hour at most. */
const holdMs = 3_600_000

/** @returns a function that stops the clocks of all namespaces, and at the next call lets them go on as before. */
function createClockSwitch({ simulator }: RunningServer, note: (text: string) => void): () => void {
  const { control, namespaces } = simulator
  let resumes: (() => void)[] = []
  return () => {
    if (resumes.length > 0) {
      for (const resume of resumes) resume()
      resumes = []
      note(`Clock: playing, ${control.clock.status('default').why}.`)
      return
    }
    resumes = namespaces.all().flatMap(({ name }) => pause(control, name) ?? [])
    const { time } = control.clock.status('default')
    if (resumes.length > 0) note(`Clock: paused at ${time}. Press p to play.`)
    else note(`Clock: manual, at ${time}. It moves only when you advance it.`)
  }
}

/** @returns what undoes it; undefined for a clock that never moves by itself. */
function pause({ clock }: Control, namespace: string): (() => void) | undefined {
  const { mode, rate } = clock.status(namespace)
  if (mode === 'manual') return undefined
  if (mode !== 'auto') {
    clock.set(namespace, { mode: 'manual' })
    return () => void clock.set(namespace, mode === 'scaled' ? { mode, rate } : { mode })
  }
  const { id } = clock.hold(namespace, { name: 'terminal', forMs: holdMs })
  return () => void clock.releaseHold(namespace, id)
}
