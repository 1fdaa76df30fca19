// Calls of the control API. The page only calls the server that it came from.
import { signal } from '@preact/signals'
import { namespace } from '../data/store.ts'
import type { Details, RuleReason } from '../data/types.ts'
import { notify } from '../frame/notice.tsx'

/** Whether the server requires a token, which the user enters in a dialog. */
export const isTokenWanted = signal(false)

let token = ''

/** The headers of every call. */
export function headersOf(accept: string): Record<string, string> {
  return { accept, ...(token !== '' && { authorization: `Bearer ${token}` }) }
}

/**
 * Presents a token. It stays in this page. The server exchanges it for a cookie, which images and videos also send.
 * @throws {CallError} for a wrong token.
 */
export async function presentToken(presented: string): Promise<void> {
  token = presented
  try {
    await request('POST', '/session', { token })
  } catch (error) {
    // Older servers only know the header.
    if (error instanceof CallError && error.status === 404) return
    token = ''
    throw error
  }
}

/** Thrown for a refusal of the server, in its own words. */
export class CallError extends Error {
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

/** The URL of a call for the current namespace. */
export function urlOf(path: string): string {
  const separator = path.includes('?') ? '&' : '?'
  return `${location.origin}/_greenroom${path}${separator}namespace=${encodeURIComponent(namespace.value)}`
}

/** Makes a call. @throws {CallError} if the server refuses it, and any error of fetch. */
export async function request<Result>(method: string, path: string, body?: object): Promise<Result> {
  const response = await fetch(urlOf(path), {
    method,
    headers: { ...headersOf('application/json'), ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  })
  const answer = (await response.json().catch(() => ({}))) as Result & { error?: { message?: string } }
  if (response.ok) return answer
  if (response.status === 401) isTokenWanted.value = true
  throw new CallError(
    response.status,
    answer.error?.message ?? `The server responded with ${response.status}.`,
  )
}

/** Like `request`, but reports a failure to the user. @returns undefined after a failure. */
export async function call<Result>(method: string, path: string, body?: object): Promise<Result | undefined> {
  try {
    return await request<Result>(method, path, body)
  } catch (error) {
    const isRefusal = error instanceof CallError
    notify(isRefusal ? error.message : 'The server did not respond.', { isError: true })
    return undefined
  }
}

/** Loads the reasons of rules and both messages of an exchange. Older servers store no messages. */
export async function loadDetails(number: number): Promise<Details> {
  const [explained, exchange] = await Promise.all([
    request<{ reasons: RuleReason[] }>('GET', `/journal/${number}`).catch(() => ({ reasons: [] })),
    request<Omit<Details, 'reasons'>>('GET', `/journal/${number}/exchange`).catch(() => ({})),
  ])
  return { reasons: explained.reasons, ...exchange }
}

/** The URL of a task's result in the control API. It is not a download of the client. */
export function mediaUrl(task: string, what: 'media' | 'poster'): string {
  return urlOf(`/tasks/${encodeURIComponent(task)}/${what}`)
}
