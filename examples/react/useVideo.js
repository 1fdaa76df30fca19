// A hook that polls by a timer, and takes no `sleep`.
import { useEffect, useState } from 'react'

/** The status of a video, looked at every five seconds until it has ended. */
export function useVideo(id, api = '/api') {
  const [status, setStatus] = useState('waiting')

  useEffect(() => {
    const leaving = new AbortController()
    const poll = async () => {
      const headers = { authorization: 'Bearer sk-page' }
      const signal = AbortSignal.any([leaving.signal, AbortSignal.timeout(60_000)])
      const response = await fetch(`${api}/v1/video/generations/${id}`, { headers, signal }).catch(
        () => undefined,
      )
      const { data } = response?.ok ? await response.json().catch(() => ({})) : {}
      if (leaving.signal.aborted) return
      if (data) setStatus(data.status)
      if (data?.status === 'SUCCESS' || data?.status === 'FAILURE') clearInterval(timer)
    }
    const timer = setInterval(poll, 5_000)
    return () => {
      clearInterval(timer)
      leaving.abort()
    }
  }, [id, api])

  return status
}
