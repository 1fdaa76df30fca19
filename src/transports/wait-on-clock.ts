import { ConnectionBreak } from '../engine/reply.ts'
import { ClockClosed } from '../engine/clock/clock-settings.ts'
import type { Exchange } from '../gateway/exchange.ts'

/**
 * Waits on the clock of an exchange before more of its response is sent.
 *
 * @throws {ConnectionBreak} when the clock closes first: the response never comes, so its connection must close.
 * The signal's reason when the client leaves.
 */
export async function waitOnClock(
  { clock, waiting }: Exchange,
  durationMs: number,
  signal: AbortSignal,
): Promise<void> {
  try {
    await clock.wait(durationMs, signal, waiting)
  } catch (error) {
    throw error instanceof ClockClosed ? new ConnectionBreak('close', 'cut') : error
  }
}
