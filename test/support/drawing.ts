import { readFileSync } from 'node:fs'
import type { OpenTransport } from './transports.ts'
import { authorization } from './video.ts'

type Transport = Pick<OpenTransport, 'call'>

export interface Button {
  customId: string
  emoji: string
  label: string
  type: number
  style: number
}

export interface DrawingRecord {
  id: string
  action: string
  prompt: string
  description: string
  state: string
  submitTime: number
  startTime: number
  finishTime: number
  imageUrl: string
  videoUrl: string
  videoUrls: { url: string }[] | null
  status: string
  progress: string
  failReason: string
  buttons: Button[] | null
  properties: { finalPrompt: string } | null
}

export interface Submitted {
  code: number
  description: string
  result: string
  properties: Record<string, unknown>
}

/** A small image as a data: URL. */
export function dataUrl(name: string): string {
  const bytes = readFileSync(new URL(`../../fixtures/pictures/${name}`, import.meta.url))
  return `data:image/${name.split('.').at(-1)};base64,${bytes.toString('base64')}`
}

/** Calls a submission of the drawing channel; the path is below `/mj`. */
export function postDrawing(
  transport: Transport,
  path: string,
  fields: Record<string, unknown>,
  headers: Record<string, string> = {},
): Promise<Response> {
  return transport.call(path.startsWith('/') ? path : `/mj/${path}`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(fields),
  })
}

/** Submits and returns the response, successful or not. */
export async function draw(
  transport: Transport,
  path: string,
  fields: Record<string, unknown>,
): Promise<Submitted> {
  return (await (await postDrawing(transport, path, fields)).json()) as Submitted
}

export async function fetchDrawing(transport: Transport, id: string): Promise<DrawingRecord> {
  const response = await transport.call(`/mj/task/${id}/fetch`, { headers: { authorization } })
  return (await response.json()) as DrawingRecord
}

/** Polls until the task has ended. */
export async function finished(transport: Transport, id: string): Promise<DrawingRecord> {
  for (let polls = 0; polls < 200; polls++) {
    const record = await fetchDrawing(transport, id)
    if (record.status === 'SUCCESS' || record.status === 'FAILURE') return record
  }
  throw new Error(`Task ${id} did not end.`)
}

/** Submits, and polls until the task has ended. */
export async function drawn(
  transport: Transport,
  path: string,
  fields: Record<string, unknown>,
): Promise<DrawingRecord> {
  const { code, result, description } = await draw(transport, path, fields)
  if (code !== 1) throw new Error(`${path} was answered with ${code}: ${description}`)
  return finished(transport, result)
}

/** The button with this label, emoji, or part of its name. */
export function buttonOf(record: DrawingRecord, name: string): Button {
  const button = record.buttons?.find(
    ({ label, emoji, customId }) => label === name || emoji === name || customId.includes(name),
  )
  if (!button) throw new Error(`${record.action} has no button ${name}.`)
  return button
}

/** Presses a button of a finished task. */
export function press(
  transport: Transport,
  record: DrawingRecord,
  name: string,
  more = {},
): Promise<Submitted> {
  return draw(transport, 'submit/action', {
    taskId: record.id,
    customId: buttonOf(record, name).customId,
    ...more,
  })
}

/** Presses a button and waits until the new task has ended. */
export async function pressed(
  transport: Transport,
  record: DrawingRecord,
  name: string,
): Promise<DrawingRecord> {
  return finished(transport, (await press(transport, record, name)).result)
}
