/** Shorter tokens could be guessed. */
export const shortestToken = 16

/** Whether a token is valid in a header and hard to guess. */
export function isTokenFit(token: string): boolean {
  return token.length >= shortestToken && /^[\x21-\x7e]+$/.test(token)
}
