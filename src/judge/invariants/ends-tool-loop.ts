import { maxTracked, Findings } from '../../apis/define/invariant.ts'
import { BoundedMap } from '../../engine/bounded-map.ts'
import type { Journal, JournalEntry } from '../../gateway/journal.ts'
import type { GeneralInvariant } from './invariant.ts'

/** Useful agents need at most some dozens of rounds. */
const maxToolRounds = 50

/** More rounds than this count as a loop without end: the run of the client is stopped. */
const endlessToolRounds = 100

/** Requests of one conversation. Each response called a tool. */
interface ToolLoop {
  rounds: number
  identity: string
}

/**
 * Counts the rounds of tool calls. A conversation is identified by its key and its prompt. Equal requests count as one round,
 * because several conversations may begin at the same time.
 */
class ToolLoops {
  readonly #loops = new BoundedMap<ToolLoop>(maxTracked)

  /** @returns the number of the round that a request begins; undefined if it begins none. */
  count(entry: JournalEntry): number | undefined {
    if (entry.prompt === null) return undefined
    const conversation = `${entry.keyHash} ${entry.operation} ${entry.prompt}`
    if (entry.toolCalls === undefined) {
      if (entry.status === 200) this.#loops.delete(conversation)
      return undefined
    }
    const { rounds, identity } = this.#loops.get(conversation) ?? { rounds: 0, identity: '' }
    const isNew = identity !== entry.identity
    this.#loops.set(conversation, { rounds: isNew ? rounds + 1 : rounds, identity: entry.identity })
    return isNew ? rounds + 1 : undefined
  }

  clear(): void {
    this.#loops.clear()
  }
}

/** `chat.complete called weather in round 51 of tool calls for one prompt` */
function describeToolRound({ operation, toolCalls = [] }: JournalEntry, round: number): string {
  return `${operation} called ${toolCalls[0]} in round ${round} of tool calls for one prompt`
}

/**
 * Detects a client that answers tool calls without end. It waits for nothing, so only its rounds tell.
 * @returns a function that stops watching.
 */
export function watchToolLoops(
  journal: Pick<Journal, 'subscribe'>,
  report: (why: string) => void,
): () => void {
  const loops = new ToolLoops()
  return journal.subscribe((entry, what) => {
    const round = what === 'admitted' ? loops.count(entry) : undefined
    if (round !== endlessToolRounds + 1) return
    report(`${describeToolRound(entry, round)}: the client never ends this loop`)
  })
}

export const endsToolLoop: GeneralInvariant = {
  name: 'ends-tool-loop',
  means: 'A client that answers tool calls stops after a number of rounds, since each costs.',
  advice: 'Count the rounds of tool calls, and report when there are too many.',
  needs: 'text called a tool',
  severity: 'hung',
  watch: () => {
    const findings = new Findings()
    const loops = new ToolLoops()
    return {
      admitted: (entry) => {
        if (entry.toolCalls !== undefined && entry.prompt !== null) findings.exercised++
        const round = loops.count(entry)
        if (round === maxToolRounds + 1)
          findings.addViolation([entry.number], `${describeToolRound(entry, round)}.`)
      },
      restarted: () => loops.clear(),
      findings: () => findings,
    }
  },
}
