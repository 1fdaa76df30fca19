import { callGateway, passRefusal } from '../../../gateway.ts'

/** Submits a video: `{ "prompt": "…" }`. Returns 202 with the id to ask for. */
export async function POST(request: Request): Promise<Response> {
  const { prompt } = await request.json().catch(() => ({}))
  if (typeof prompt !== 'string' || prompt.trim() === '')
    return Response.json({ error: 'prompt must be a text' }, { status: 400 })

  const body = JSON.stringify({ model: 'video-1', prompt, duration: 1, size: '128x96' })
  try {
    const submitted = await callGateway('/v1/video/generations', { method: 'POST', body })
    if (!submitted.ok) return passRefusal(submitted)
    const { task_id: id } = await submitted.json()
    return Response.json({ id }, { status: 202, headers: { location: `/api/videos/${id}` } })
  } catch {
    // The gateway may have accepted the task all the same: a second submission could be paid for twice.
    return Response.json({ error: 'The answer of the gateway got lost.' }, { status: 502 })
  }
}
