import type { Steps } from '../../engine/clock/timers/steps.ts'

/** How many characters are decoded in one step. */
const charactersInStep = 250_000

/**
 * Decodes base64 in either alphabet, with or without padding, from a data URL or a bare text.
 * @returns the bytes, or what is wrong with the text, as the end of a sentence.
 */
export function* decodeBase64(text: string, limitBytes: number): Steps<Uint8Array | string> {
  const data = /data:/i.test(text.slice(0, 5)) ? dataOf(text) : text
  if (data === null) return 'is a data URL without ";base64,"'
  if (data.length > limitBytes * 1.4)
    return `is larger than ${Number((limitBytes / 1024 / 1024).toFixed(2))} MB`
  const bytes = new Uint8Array(Math.ceil((data.length * 3) / 4))
  let length = 0
  let padding = 0
  let rest = ''
  const take = (plain: string): void => {
    const decoded = bytesOf(plain)
    bytes.set(decoded, length)
    length += decoded.length
  }
  for (let at = 0; at < data.length; at += charactersInStep) {
    if (at > 0) yield
    const compact = data.slice(at, at + charactersInStep).replace(/\s+/g, '')
    const [, digits, equals = ''] = /^([\w+/-]*)(={0,2})$/.exec(compact) ?? []
    // Padding comes last: nothing may follow it.
    if (digits === undefined || (padding > 0 && digits !== '')) return notBase64
    padding += equals.length
    if (padding > 2) return notBase64
    const all = rest + digits.replaceAll('-', '+').replaceAll('_', '/')
    const whole = all.length - (all.length % 4)
    take(all.slice(0, whole))
    rest = all.slice(whole)
  }
  if (length === 0 && rest === '' && padding === 0) return 'is empty'
  if (rest.length === 1) return 'is not complete base64 image data'
  take(rest)
  return bytes.subarray(0, length)
}

const notBase64 = 'is neither an http(s) URL nor base64 image data'

/** Buffer decodes a large image in two milliseconds. `atob` takes a thousand times as long. */
function bytesOf(base64: string): Uint8Array {
  if (typeof globalThis.Buffer === 'function') return globalThis.Buffer.from(base64, 'base64')
  const text = atob(base64)
  const bytes = new Uint8Array(text.length)
  for (let at = 0; at < text.length; at++) bytes[at] = text.charCodeAt(at)
  return bytes
}

function dataOf(url: string): string | null {
  const comma = url.indexOf(',')
  return comma > 0 && /;base64$/i.test(url.slice(0, comma)) ? url.slice(comma + 1) : null
}

/** Encodes bytes as base64. */
export function encodeBase64(bytes: Uint8Array): string {
  if (typeof globalThis.Buffer === 'function')
    return globalThis.Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64')
  let text = ''
  for (const byte of bytes) text += String.fromCharCode(byte)
  return btoa(text)
}
