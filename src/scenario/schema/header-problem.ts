/** Headers that transports set themselves. */
const framing = ['content-length', 'transfer-encoding']

/** Why a header can't be sent, as the end of a sentence. */
export function headerProblem(name: string, value: string): string | undefined {
  if (framing.includes(name.toLowerCase()))
    return 'follows from the body: use a fault such as truncate or malformed-chunk'
  return /^[\t\x20-\x7e\x80-\xff]*$/.test(value) ? undefined : 'must be one line of Latin characters'
}
