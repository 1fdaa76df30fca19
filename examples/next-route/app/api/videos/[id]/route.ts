import { callGateway, passRefusal } from '../../../../gateway.ts'

interface Context {
  readonly params: Promise<{ id: string }>
}

/** Returns the state of a video, and where its content is once there is some. */
export async function GET(_request: Request, { params }: Context): Promise<Response> {
  const { id } = await params
  try {
    const polled = await callGateway(`/v1/video/generations/${encodeURIComponent(id)}`)
    if (polled.status === 404) return Response.json({ error: 'There is no such video.' }, { status: 404 })
    if (!polled.ok) return passRefusal(polled)
    const { data } = await polled.json()
    if (data.status === 'FAILURE')
      return Response.json({ status: 'failed', reason: data.fail_reason || 'no reason was given' })
    if (data.status !== 'SUCCESS') return Response.json({ status: 'working', progress: data.progress })
    return Response.json({ status: 'done', url: `/api/videos/${id}/content` })
  } catch {
    // A poll that got lost says nothing about the task: the page polls again.
    return Response.json(
      { error: 'The gateway did not answer.' },
      { status: 503, headers: { 'retry-after': '5' } },
    )
  }
}
