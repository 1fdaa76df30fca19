// A page that knows nothing of greenroom: it makes a video of a prompt and shows it.
import { useEffect, useState } from 'react'
import { createClient } from './client.js'

export function VideoPage({ prompt, api = '/api', sleep }) {
  const [state, setState] = useState({ progress: 'waiting' })

  useEffect(() => {
    const leaving = new AbortController()
    const client = createClient({ baseUrl: api, key: 'sk-page', sleep, signal: leaving.signal })
    const update = (next) => leaving.signal.aborted || setState(next)
    client
      .makeVideo({ prompt, duration: 1, size: '128x96' }, (progress) => update({ progress }))
      .then(({ url }) => update({ url }))
      .catch(({ message }) => update({ error: message }))
    return () => leaving.abort()
  }, [prompt, api, sleep])

  if (state.url) return <video src={state.url} controls />
  if (state.error) return <p role="alert">{state.error}</p>
  return <p role="status">{state.progress}</p>
}
