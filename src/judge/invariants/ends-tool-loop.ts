import { BoundedMap } from '../../engine/bounded-map.ts'
import type { JournalEntry } from '../../gateway/journal.ts'
import { maxTracked } from '../exchanges.ts'
import { Findings, type InvariantDefinition } from './invariant.ts'

/** Useful agents need at most some dozens of rounds. */
export const maxToolRounds = 50

/** Requests of one conversation. Each response called a tool. */
interface ToolLoop {
  rounds: number
  identity: string
}

/**
 * A conversation is identified by its key and its prompt. Equal requests count as one round, because several conversations
 * may begin at the same time.
 */
export const endsToolLoop: InvariantDefinition = {
  name: 'ends-tool-loop',
  means: 'A client that answers tool calls stops after a number of rounds, since each costs.',
  advice: 'Count the rounds of tool calls, and report when there are too many.',
  needs: 'text called a tool',
  watch: () => {
    const findings = new Findings()
    const loops = new BoundedMap<ToolLoop>(maxTracked)
    return {
      admitted: (entry) => {
        if (entry.prompt === null) return
        const conversation = conversationOf(entry)
        const [tool] = entry.toolCalls ?? []
        if (tool === undefined) {
          if (entry.status === 200) loops.delete(conversation)
          return
        }
        findings.exercised++
        const { rounds, identity } = loops.get(conversation) ?? { rounds: 0, identity: '' }
        const isNew = identity !== entry.identity
        const loop = { rounds: isNew ? rounds + 1 : rounds, identity: entry.identity }
        loops.set(conversation, loop)
        if (!isNew || loop.rounds !== maxToolRounds + 1) return
        findings.addViolation(
          [entry.number],
          `${entry.operation} called ${tool} in round ${loop.rounds} of tool calls for one prompt.`,
        )
      },
      restarted: () => loops.clear(),
      findings: () => findings,
    }
  },
}

const conversationOf = ({ keyHash, operation, prompt }: JournalEntry): string =>
  `${keyHash} ${operation} ${prompt}`
