// A page that knows nothing of greenroom: it makes a video of a prompt and shows it.
import { useEffect, useState } from 'react'

const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms))

export function VideoPage({ prompt, api = '/api', sleep = wait }) {
  const [video, setVideo] = useState({ status: 'queued' })

  useEffect(() => {
    let isGone = false
    const headers = { authorization: 'Bearer sk-page', 'content-type': 'application/json' }
    async function makeVideo() {
      const body = JSON.stringify({ model: 'video-1', prompt, duration: 1, size: '128x96' })
      const submitted = await fetch(`${api}/v1/video/generations`, { method: 'POST', headers, body })
      const { task_id: id } = await submitted.json()
      while (!isGone) {
        await sleep(5_000)
        const polled = await fetch(`${api}/v1/video/generations/${id}`, { headers })
        const { data } = await polled.json()
        setVideo(data)
        if (data.status === 'SUCCESS' || data.status === 'FAILURE') return
      }
    }
    makeVideo()
    return () => (isGone = true)
  }, [prompt, api, sleep])

  if (video.status === 'SUCCESS') return <video src={video.result_url} controls />
  if (video.status === 'FAILURE') return <p role="alert">{video.fail_reason}</p>
  return <p role="status">{video.progress ?? 'waiting'}</p>
}
