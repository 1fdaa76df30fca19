import type { ApiClient } from '../api-client.ts'
import type { DownloadedFile } from '../download.ts'

/** What a flow has made, bit by bit: what is there stays there when a later part fails. */
export interface Yield {
  readonly tasks: string[]
  readonly files: DownloadedFile[]
  text: string
}

/**
 * What the client does for one task, in two parts: until the gateway has taken it, and from then on.
 * @returns the second part.
 */
export type FlowStart = (caller: ApiClient, prompt: string, made: Yield) => Promise<() => Promise<void>>
