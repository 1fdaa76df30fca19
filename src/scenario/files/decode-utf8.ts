import { ScenarioError } from './error.ts'

/**
 * Decodes a file that a user wrote, without its byte order mark.
 * @throws {ScenarioError} for a file that is not UTF-8, such as the output of `>` in PowerShell.
 */
export function decodeUtf8(path: string, bytes: Uint8Array): string {
  const [first, second] = bytes
  const isUtf16 = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)
  if (isUtf16) throw new ScenarioError(`${path}: is UTF-16. ${saveAsUtf8}`)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (error) {
    throw new ScenarioError(`${path}: is not UTF-8. ${saveAsUtf8}`, { cause: error })
  }
}

export const saveAsUtf8 = 'Save it as UTF-8.'
