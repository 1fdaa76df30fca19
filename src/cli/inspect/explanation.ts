import type { ExplainedEntry } from '../../control/control.ts'
import type { RuleReason } from '../../scenario/rules/rule.ts'

/**
 * Why an exchange went as it did: the request and its answer in a line, then the reason of each rule.
 *
 * ```text
 * #3  GET video.content  task_x  00:00:40.000  ns default  -> 200, 16384 bytes, altered  by bit-rot
 *     key sk-te…st
 *     truncated    no   request 2 of this task, wanted 1
 *     bit-rot      YES  request 2 of this task
 *     other rules  no   another operation (2)
 * ```
 *
 * @param start the instant from which virtual time is counted.
 * @example
 * const start = sim.clock.now()
 * await client.submitVideo('a red kite')
 * explanation(sim.core.control.exchange('default', 1), start) // → '#1  POST video.submit  task_…  -> 200, …'
 */
export function explanation(entry: ExplainedEntry, start: number): string {
  const { number, method, operation, path, task, at, namespace, rules, reasons } = entry
  const head = [
    `#${number}`,
    `${method} ${operation ?? path}`,
    ...(task === null ? [] : [task]),
    virtualTime(at - start),
    `ns ${namespace}`,
    `-> ${answerOf(entry)}`,
    ...(rules.length === 0 ? [] : [`by ${rules.join(', ')}`]),
  ]
  return [
    head.join('  '),
    ...detailsOf(entry).map((line) => `    ${line}`),
    ...reasonLines(reasons).map((line) => `    ${line}`),
  ].join('\n')
}

/** One line for each rule; those that had nothing to do with the request share one. */
function reasonLines(reasons: readonly RuleReason[]): string[] {
  if (reasons.length === 0) return ['no rule was asked']
  const others = reasons.filter(({ fired, why }) => !fired && why === otherOperation)
  const shared =
    others.length > 1
      ? [{ rule: 'other rules', fired: false, why: `${otherOperation} (${others.length})` }]
      : others
  const lines = [...reasons.filter((reason) => !others.includes(reason)), ...shared]
  const widest = Math.max(...lines.map(({ rule }) => rule.length))
  return lines.map(({ rule, fired, why }) => `${rule.padEnd(widest)}  ${fired ? 'YES' : 'no '}  ${why}`)
}

/** How rules say that they are about something else. */
const otherOperation = 'another operation'

function answerOf({ status, bytes, content, stream, fault, outcome, approximated }: ExplainedEntry): string {
  const parts = [status === 0 ? 'no answer' : String(status), `${bytes} bytes`]
  if (content !== null && content !== 'complete') parts.push(content)
  if (stream) parts.push(`${stream.chunks} chunks, ${stream.ended}`)
  if (fault !== null) parts.push(approximated ? `${fault}, nearly` : fault)
  if (outcome !== 'completed') parts.push(outcome)
  return parts.join(', ')
}

/** What was decided beside the status. */
function detailsOf({ key, model, prompt, shown, delayMs, retryAfterMs, assumed }: ExplainedEntry): string[] {
  const said = [
    key === '' ? 'without a key' : `key ${key}`,
    ...(model === null ? [] : [`model ${model}`]),
    ...(shown === null ? [] : [`shown ${shown}`]),
    // JSON has no word for what never ends.
    ...(delayMs === 0
      ? []
      : [delayMs === null || delayMs === Infinity ? 'never answered' : `after ${delayMs} ms`]),
    ...(retryAfterMs === null ? [] : [`asked to wait ${retryAfterMs} ms`]),
    ...(assumed ? ['time was moved by an assumption'] : []),
  ]
  return [said.join(', '), ...(prompt === null ? [] : [`prompt ${JSON.stringify(prompt)}`])]
}

function virtualTime(elapsedMs: number): string {
  const two = (value: number): string => String(Math.floor(value)).padStart(2, '0')
  const [hours, minutes] = [elapsedMs / 3_600_000, (elapsedMs / 60_000) % 60]
  const seconds = ((elapsedMs % 60_000) / 1_000).toFixed(3).padStart(6, '0')
  return `${two(hours)}:${two(minutes)}:${seconds}`
}
