/** Shorter ones can be guessed. */
export const shortestToken = 16

/** Whether a token can stand in a header and be no easy guess. */
export function isTokenFit(token: string): boolean {
  return token.length >= shortestToken && /^[\x21-\x7e]+$/.test(token)
}
