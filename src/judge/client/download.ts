import type { ApiClient } from './api-client.ts'
import type { Timeout } from './timeout.ts'
import { TransportError } from './errors.ts'

/** What was downloaded, whole and as it should be. */
export interface DownloadedFile {
  readonly path: string
  readonly bytes: number
  readonly sha256: string
}

/** What there is of a file so far. */
interface Partly {
  pieces: Uint8Array[]
  length: number
  etag: string | null
  /** The length of the whole, where it was announced. */
  whole: number | undefined
}

const nothing = (): Partly => ({ pieces: [], length: 0, etag: null, whole: undefined })

/**
 * Downloads a file (§4.3). One that breaks off is continued where it did; one whose length or digest isn't the
 * announced one is fetched anew.
 *
 * @param type what its media type begins with, such as `video/`.
 * @throws {TransportError} {Refused} when it can't be had after all retries.
 */
export async function download(caller: ApiClient, path: string, type: string): Promise<DownloadedFile> {
  const { verify } = caller.settings
  let partly = nothing()
  return caller.trying(async () => {
    const [first] = partly.pieces
    const headers = first && partly.etag ? continuing(partly.length, partly.etag) : {}
    if (!('range' in headers)) partly = nothing()
    await caller.open(path, { headers }, async (response, patient) => {
      checkType(response, type)
      partly = begin(partly, response)
      await receive(partly, response, patient)
    })
    const { length, whole, etag } = partly
    const sha256 = await digestOf(partly.pieces)
    const problem =
      verify === 'none'
        ? undefined
        : whole !== undefined && length !== whole
          ? `${length} of ${whole} bytes came`
          : verify === 'etag' && isDigest(etag) && etag !== `"${sha256}"`
            ? 'the bytes are not those that the entity tag names'
            : undefined
    if (problem === undefined) return { path, bytes: length, sha256 }
    // Which of the bytes are wrong can't be known.
    partly = nothing()
    throw new TransportError(`${path}: ${problem}`)
  })
}

function continuing(from: number, etag: string): Record<string, string> {
  return { range: `bytes=${from}-`, 'if-range': etag }
}

function checkType({ headers }: Response, type: string): void {
  const found = headers.get('content-type') ?? ''
  if (!found.startsWith(type))
    throw new TransportError(`the answer is ${found || 'of no type'}, not ${type}*`)
}

/** The file to which the bytes of an answer belong: the one there is, where the answer continues it. */
function begin(partly: Partly, { status, headers }: Response): Partly {
  const [, from, whole] = /^bytes (\d+)-\d+\/(\d+)$/.exec(headers.get('content-range') ?? '') ?? []
  if (status === 206 && Number(from) === partly.length) return { ...partly, whole: Number(whole) }
  if (status === 206)
    throw new TransportError(`the answer continues at byte ${from}, not at ${partly.length}`)
  const announced = headers.get('content-length')
  return {
    ...nothing(),
    etag: headers.get('etag'),
    whole: announced === null ? undefined : Number(announced),
  }
}

async function receive(partly: Partly, { body }: Response, patient: Timeout): Promise<void> {
  const reader = body?.getReader()
  for (let next = await reader?.read(); next && !next.done; next = await reader!.read()) {
    partly.pieces.push(next.value)
    partly.length += next.value.length
    patient.renew()
  }
}

/** An entity tag may be anything; a digest it is only when it looks like one. */
function isDigest(etag: string | null): etag is string {
  return etag !== null && /^"[0-9a-f]{64}"$/.test(etag)
}

async function digestOf(pieces: Uint8Array[]): Promise<string> {
  const whole = new Uint8Array(await new Blob(pieces as BlobPart[]).arrayBuffer())
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', whole))
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
