import { expect } from 'vitest'

/** Traces of code, which responses must not contain. */
const traces =
  /\n\s+at |\bnode:internal\b|node_modules|\/src\/[a-z-]+\/|\.ts:\d+|\[object Object\]|TypeError|RangeError|ReferenceError/

/** The shapes in which the gateway refuses, as docs and wire have them. */
const envelopes: readonly ((body: Record<string, unknown>) => boolean)[] = [
  // Of the gateway, of the service behind it, of the vendor, of the control plane.
  ({ error }) =>
    typeof error === 'object' && error !== null && isText((error as { message?: unknown }).message),
  // Of pictures that are not there.
  ({ error }) => error === 'midjourney_task_not_found',
  // Of tasks, and of the drawing channel.
  ({ code, message }) => code !== undefined && isText(message),
  ({ code, description }) => typeof code === 'number' && isText(description),
]

function isText(value: unknown): boolean {
  return typeof value === 'string' && value !== ''
}

/** What every response must have: a documented status, a documented envelope, and no trace of code. */
export function expectSound(
  { status, type, text }: { status: number; type: string; text: string },
  request: string,
): void {
  const about = `${status} to ${request}`
  expect(status, about).toBeGreaterThanOrEqual(200)
  // Some gateways answer 500 to a client's mistake; this is how they and we answer to one of our own.
  expect(text, about).not.toMatch(/new_api_panic|The control API failed/)
  const isOurs = !/"(?:prompt|text|content|parts)"/.test(text)
  if (isOurs) expect(text, about).not.toMatch(traces)
  if (status < 400 || text === '') return
  expect(type, about).toMatch(/^(?:application\/json|text\/event-stream|text\/plain)/)
  if (!type.startsWith('application/json')) return
  const parsed = JSON.parse(text) as unknown
  // A native route refuses a stream as a list of one.
  const body = (Array.isArray(parsed) ? parsed[0] : parsed) as Record<string, unknown>
  expect(
    envelopes.some((fits) => fits(body)),
    `${about}: ${text.slice(0, 300)}`,
  ).toBe(true)
}
