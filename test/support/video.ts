import type { OpenTransport } from './transports.ts'

export const key = 'sk-test'
export const authorization = `Bearer ${key}`

/** Submits a video as a client would; small, unless the fields say otherwise. */
export function postVideo(
  transport: Pick<OpenTransport, 'call'>,
  fields: Record<string, unknown>,
  headers: Record<string, string> = {},
): Promise<Response> {
  return transport.call('/v1/video/generations', {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ model: 'video-1', size: '128x96', duration: 1, ...fields }),
  })
}

/** Submits a video and returns its task's id. */
export async function submitVideo(
  transport: Pick<OpenTransport, 'call'>,
  fields: Record<string, unknown> = {},
  headers: Record<string, string> = {},
): Promise<string> {
  const response = await postVideo(transport, { prompt: 'a red kite', ...fields }, headers)
  const { task_id: id } = (await response.json()) as { task_id: string }
  return id
}

export interface PolledVideo {
  task_id: string
  status: string
  progress: string
  fail_reason: string
  result_url?: string
  submit_time: number
  start_time: number
  finish_time: number
}

export async function pollVideo(
  transport: Pick<OpenTransport, 'call'>,
  id: string,
  headers: Record<string, string> = {},
): Promise<PolledVideo> {
  const response = await transport.call(`/v1/video/generations/${id}`, {
    headers: { authorization, ...headers },
  })
  const { data } = (await response.json()) as { data: PolledVideo }
  return data
}

export function getContent(
  transport: Pick<OpenTransport, 'call'>,
  id: string,
  init: RequestInit & { headers?: Record<string, string> } = {},
): Promise<Response> {
  return transport.call(`/v1/videos/${id}/content`, { ...init, headers: { authorization, ...init.headers } })
}
