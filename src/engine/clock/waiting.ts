/** Who waits on a clock, and for what. */
export interface Waiting {
  /** A client that sleeps, an answer that a client waits for, or work of our own that nobody waits for. */
  readonly kind: 'sleep' | 'answer' | 'work'
  /** The participant, where it has said its name. */
  readonly name?: string
  /** The number of the exchange whose answer it is. */
  readonly number?: number
}

/** Who waits, in words: `worker-a`, or `a delayed answer (#41) to worker-a`. */
export function nameOf({ kind, name, number }: Waiting): string {
  if (kind === 'work') return 'work of its own'
  if (kind === 'sleep') return name ?? 'a client without a name'
  const which = number === undefined ? '' : ` (#${number})`
  return `a delayed answer${which}${name === undefined ? '' : ` to ${name}`}`
}

/**
 * What is waited for, in words: `worker-a until 00:01:05`.
 * @param start what the time of day counts from.
 */
export function describeWaiting(waiting: Waiting, due: number, start: number): string {
  return `${nameOf(waiting)} ${due === Infinity ? 'for ever' : `until ${elapsed(due - start)}`}`
}

/** A span as hours, minutes and seconds: `00:01:05`, or `00:01:05.250`. */
export function elapsed(spanMs: number): string {
  const two = (value: number): string => String(Math.floor(value)).padStart(2, '0')
  const rest = spanMs % 1_000
  const text = `${two(spanMs / 3_600_000)}:${two((spanMs / 60_000) % 60)}:${two((spanMs / 1_000) % 60)}`
  return rest === 0 ? text : `${text}.${String(rest).padStart(3, '0')}`
}
