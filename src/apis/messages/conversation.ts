import type { JsonValue } from '../../gateway/bodies/json.ts'
import type { Turn, TurnPart } from '../../text/spec.ts'
import { Fields, RequestRefused, show } from '../text/fields.ts'
import type { ReceivedImages } from '../text/prepare.ts'
import { blocksOf, readContent, readTexts, type ToolResult } from './content.ts'

export const roles = ['user', 'assistant', 'system'] as const

/** How a request is read. */
export interface ReadingOptions {
  readonly messageLimit: number
  /** Whether its version refuses more than the one before. */
  readonly isStrict: boolean
}

interface Conversation {
  /** Instructions among the messages. */
  readonly system: readonly string[]
  readonly turns: readonly Turn[]
}

/**
 * Reads a conversation, oldest message first.
 *
 * @assumed §4.9 this protocol is undocumented; messages and refusals are those of the vendor's own service.
 * @throws {RequestRefused} for no messages, empty ones, and uses of tools that don't fit their results.
 */
export function readConversation(
  value: JsonValue | undefined,
  images: ReceivedImages,
  { messageLimit, isStrict }: ReadingOptions,
): Conversation {
  if (value === undefined || value === null) throw new RequestRefused('messages: Field required', 'gateway')
  if (!Array.isArray(value))
    throw new RequestRefused(`messages: Input should be an array, not ${show(value)}`)
  if (value.length === 0) throw new RequestRefused('messages: at least one message is required', 'gateway')
  if (value.length > messageLimit) {
    throw new RequestRefused(`messages: has ${value.length} items, at most ${messageLimit} are taken`)
  }
  const uses = new PendingUses()
  const system: string[] = []
  const turns: Turn[] = []
  for (const [index, each] of value.entries()) {
    const message = new Fields(each, `messages.${index}`)
    const role = message.oneOf('role', roles)
    if (!role) throw new RequestRefused(`${message.at('role')}: Field required`)
    if (role === 'system') {
      system.push(...readTexts(message, 'content'))
      continue
    }
    const { parts, calls, results } = readContent(message, role, images, isStrict)
    const isLast = index === value.length - 1
    if (blocksOf(message, 'content').length === 0 && !(isLast && role === 'assistant')) {
      throw new RequestRefused(
        `${message.path}: all messages must have non-empty content except for the optional final assistant message`,
      )
    }
    uses.begin(role, message.path, calls)
    const answered = results.map((result) => uses.resolve(result))
    // Results are a turn of their own, before what the user says.
    if (answered.length > 0) turns.push({ role: 'tool', parts: answered })
    if (role === 'assistant' || parts.length > 0) turns.push({ role, parts: [...parts, ...calls] })
  }
  uses.end()
  if (turns.length > 0) return { system, turns }
  // Instructions alone are answered as if the user had written them.
  return { system: [], turns: [{ role: 'user', parts: [{ type: 'text', text: system.join('\n') }] }] }
}

type Call = TurnPart & { type: 'call' }

/** Checks that the next message has a result for each use of a tool, and no other ones. Messages in a row of a role are one. */
class PendingUses {
  readonly #pending = new Map<string, Call>()
  #role = ''
  #path = ''

  /** To be called with each message before its results. */
  begin(role: 'user' | 'assistant', path: string, calls: readonly Call[]): void {
    if (role === 'assistant' && this.#role === 'user') this.end()
    this.#role = role
    if (this.#pending.size === 0) this.#path = path
    for (const call of calls) this.#pending.set(call.id!, call)
  }

  /** @returns the result with the name of its tool. */
  resolve({ id, value, path }: ToolResult): TurnPart {
    const call = this.#pending.get(id)
    if (!call) {
      throw new RequestRefused(
        `${path}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${id}. Each \`tool_result\` block must ` +
          'have a corresponding `tool_use` block in the previous message.',
      )
    }
    this.#pending.delete(id)
    return { type: 'result', name: call.name, value, id }
  }

  /** @throws {RequestRefused} if a use of a tool has no result yet. */
  end(): void {
    if (this.#pending.size === 0) return
    throw new RequestRefused(
      `${this.#path}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ` +
        `${[...this.#pending.keys()].join(', ')}. Each \`tool_use\` block must have a corresponding \`tool_result\` ` +
        'block in the next message.',
    )
  }
}
