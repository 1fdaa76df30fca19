import type { ApiClient, Timeout } from './api-client.ts'
import { Failed, Refused, TransportError } from './errors.ts'

/** The results of a flow so far. They survive a later failure. */
export interface FlowOutput {
  readonly tasks: string[]
  readonly files: DownloadedFile[]
  text: string
}

/** Submits one task. @returns a function that follows the task to its result. */
export type StartFlow = (
  client: ApiClient,
  prompt: string,
  output: FlowOutput,
) => Promise<() => Promise<void>>

export interface PollResult<T> {
  readonly record: T
  readonly status: string | undefined
  /** Why the task failed. */
  readonly reason: string | undefined
}

/** The statuses of a task that has ended. */
export interface EndStatuses {
  readonly success: string
  readonly failure: string
}

/**
 * Polls a task at once and then at equal intervals until it has ended (§4.2). A lost poll is retried, and never causes
 * another submission.
 *
 * @throws {Failed} if the task failed; {DeadlineExceeded} if it takes too long; {Refused} if the poll is refused.
 */
export async function pollUntilEnded<T>(
  client: ApiClient,
  ends: EndStatuses,
  poll: () => Promise<PollResult<T>>,
): Promise<T> {
  const { pollEveryMs } = client.settings
  const policy = { firstMs: pollEveryMs, maxMs: 2 * pollEveryMs, retries: Infinity }
  for (;;) {
    const { record, status, reason } = await client.retry(async () => {
      const { status, ...polled } = await poll()
      if (typeof status !== 'string') throw new TransportError('the poll returned no status')
      return { ...polled, status }
    }, policy)
    if (status === ends.success) return record
    if (status === ends.failure) throw new Failed(reason || 'the task failed without a reason')
    await client.sleep(pollEveryMs)
  }
}

/**
 * Downloads a result. If its URL has expired, the client polls once more, which gives a new one.
 * @param renew polls the task once more.
 */
export async function downloadOrRenew(
  client: ApiClient,
  renew: () => Promise<unknown>,
  result: { readonly path: string; readonly type: string },
): Promise<DownloadedFile> {
  try {
    return await download(client, result.path, result.type)
  } catch (error) {
    if (!(error instanceof Refused) || ![403, 404].includes(error.status)) throw error
    await renew()
    return download(client, result.path, result.type)
  }
}

/** A complete and verified download. */
export interface DownloadedFile {
  readonly path: string
  readonly bytes: number
  readonly sha256: string
}

/** The received bytes of a file. */
interface PartialFile {
  readonly chunks: Uint8Array[]
  length: number
  readonly etag: string | null
  /** The length of the complete file, if it was announced. */
  readonly total: number | undefined
}

const emptyFile = (): PartialFile => ({ chunks: [], length: 0, etag: null, total: undefined })

/**
 * Downloads a file (§4.3). An interrupted download is resumed; one with the wrong length or digest is repeated.
 *
 * @param type the start of its media type, such as `video/`.
 * @throws {TransportError} {Refused} after the last retry.
 */
async function download(client: ApiClient, path: string, type: string): Promise<DownloadedFile> {
  let file = emptyFile()
  return client.retry(async () => {
    const canResume = file.length > 0 && file.etag !== null
    const headers = canResume ? { range: `bytes=${file.length}-`, 'if-range': file.etag! } : {}
    if (!canResume) file = emptyFile()
    await client.open(path, { headers }, async (response, timeout) => {
      const mediaType = response.headers.get('content-type') ?? 'none'
      if (!mediaType.startsWith(type)) throw new TransportError(`media type is ${mediaType}, not ${type}*`)
      file = continueFile(file, response)
      await receive(file, response, timeout)
    })
    const sha256 = await digest(file.chunks)
    const problem = findProblem(file, sha256, client.settings.verify)
    if (problem === undefined) return { path, bytes: file.length, sha256 }
    // The wrong bytes are unknown, so start over.
    file = emptyFile()
    throw new TransportError(`${path}: ${problem}`)
  })
}

function findProblem(
  { length, total, etag }: PartialFile,
  sha256: string,
  verify: ApiClient['settings']['verify'],
): string | undefined {
  if (verify === 'none') return undefined
  if (total !== undefined && length !== total) return `${length} of ${total} bytes arrived`
  // An entity tag counts only if it looks like a digest.
  const isDigest = verify === 'etag' && etag !== null && /^"[0-9a-f]{64}"$/.test(etag)
  return isDigest && etag !== `"${sha256}"` ? 'the bytes do not match the entity tag' : undefined
}

/** The file to which the bytes of a response belong. */
function continueFile(file: PartialFile, { status, headers }: Response): PartialFile {
  const [, from, total] = /^bytes (\d+)-\d+\/(\d+)$/.exec(headers.get('content-range') ?? '') ?? []
  if (status === 206 && Number(from) === file.length) return { ...file, total: Number(total) }
  if (status === 206) throw new TransportError(`the response starts at byte ${from}, not at ${file.length}`)
  const length = headers.get('content-length')
  return { ...emptyFile(), etag: headers.get('etag'), total: length === null ? undefined : Number(length) }
}

async function receive(file: PartialFile, { body }: Response, timeout: Timeout): Promise<void> {
  const reader = body?.getReader()
  for (let next = await reader?.read(); next && !next.done; next = await reader!.read()) {
    file.chunks.push(next.value)
    file.length += next.value.length
    timeout.renew()
  }
}

async function digest(chunks: Uint8Array[]): Promise<string> {
  const bytes = await new Blob(chunks as BlobPart[]).arrayBuffer()
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
  return Array.from(hash, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
