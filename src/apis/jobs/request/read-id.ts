/** The id of a job in a body. Some clients send it as a number. */
export function readId(id: unknown): string | undefined {
  if (typeof id === 'number' && Number.isSafeInteger(id)) return String(id)
  return typeof id === 'string' && id.trim() !== '' ? id.trim() : undefined
}
