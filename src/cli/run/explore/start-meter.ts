import { formatDuration } from '../../../engine/clock/duration.ts'
import { hostTimers } from '../../../engine/clock/timers/host-timers.ts'
import type { Journal } from '../../../gateway/journal.ts'
import { quoteWord } from '../../../judge/index.ts'

/** A start that takes longer than this, and more than this share of the time, is worth a hint. */
const [minMeanMs, minShare] = [1_000, 0.4]

/** The start of one process. */
interface StartingRun {
  /** A process is being started. */
  readonly start: () => void
  /** The run is over. */
  readonly end: () => void
}

/** Measures how long commands take in real time until their first request. */
export class StartMeter {
  #startMs = 0
  #runMs = 0
  #starts = 0

  /** Watches one run. */
  watch(journal: Pick<Journal, 'subscribe'>): StartingRun {
    const beganMs = hostTimers.elapsedMs()
    let startedMs: number | undefined
    const stop = journal.subscribe(() => {
      if (startedMs === undefined) return
      this.#startMs += hostTimers.elapsedMs() - startedMs
      this.#starts++
      startedMs = undefined
    })
    return {
      start: () => (startedMs = hostTimers.elapsedMs()),
      end: () => {
        stop()
        this.#runMs += hostTimers.elapsedMs() - beganMs
      },
    }
  }

  /** What share of the time the starts took, and how to start the command faster; undefined if they took little. */
  describe(command: readonly string[]): string | undefined {
    const meanMs = this.#startMs / Math.max(1, this.#starts)
    const share = this.#startMs / Math.max(1, this.#runMs)
    if (meanMs < minMeanMs || share < minShare) return undefined
    const mean = formatDuration(Math.round(meanMs / 100) * 100)
    return (
      `${Math.round(share * 100)} % of the time passed before the first request of COMMAND, which took ${mean} to start each time. ` +
      adviseStart(command)
    )
  }
}

const runners = new Set(['npx', 'bunx'])
const scripts = new Set(['npm', 'pnpm', 'yarn'])

/** How to start a command with fewer processes. */
function adviseStart([program = '', ...words]: readonly string[]): string {
  const name = nameOf(program)
  const own = words.filter((word, index) => !(index === 0 && ['exec', '--', '-y', '--yes'].includes(word)))
  const isRunner = runners.has(name) || (scripts.has(name) && words[0] === 'exec')
  const [first = '', ...rest] = isRunner ? own : [program, ...words]
  if (nameOf(first) === 'tsx') return `Write ${quote(['node', '--import', 'tsx', ...rest])} after "--".`
  if (isRunner) return `Write ${quote([`node_modules/.bin/${first}`, ...rest])} after "--".`
  if (scripts.has(name)) return `Write what the script of ${name} runs after "--", instead of ${name}.`
  if (/^(?:python|pypy)[\d.]*$/.test(nameOf(program))) return 'Let it import less before that.'
  return 'Let it load less before that, such as a file that is compiled before.'
}

const quote = (words: readonly string[]): string => words.map(quoteWord).join(' ')

const nameOf = (program: string): string => program.replace(/^.*[\\/]/, '').replace(/\.(?:cmd|exe)$/i, '')
