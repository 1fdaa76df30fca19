// A client of the gateway as it might be anywhere: nothing in it knows that the gateway is in the page.
const pollMs = 50

export function createClient({ baseUrl, key }) {
  const send = (path, init = {}) =>
    fetch(baseUrl + path, {
      ...init,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    })
  const post = async (path, body) => {
    for (let tries = 1; ; tries += 1) {
      const response = await send(path, { method: 'POST', body: JSON.stringify(body) })
      if (response.ok) return response
      if (response.status !== 503 || tries === 5) throw new Error(`${path} answered ${response.status}`)
      await pause(pollMs)
    }
  }
  const untilEnded = async (path, onProgress) => {
    for (;;) {
      // A poll that breaks says nothing about the task.
      const task = await send(path)
        .then((response) => response.json())
        .catch(() => undefined)
      const { status, progress = '0%' } = task?.data ?? task ?? {}
      if (status) onProgress(`${status} ${progress}`)
      if (status === 'FAILURE') throw new Error((task.data ?? task).fail_reason ?? task.failReason)
      if (status === 'SUCCESS') return task.data ?? task
      await pause(pollMs)
    }
  }

  return {
    /** @returns the address of a video. */
    async video(prompt, onProgress) {
      const { task_id: id } = await (await post('/v1/video/generations', { model: 'video-1', prompt })).json()
      await untilEnded(`/v1/video/generations/${id}`, onProgress)
      return `${baseUrl}/v1/videos/${id}/content`
    },
    /** @returns the address of a picture. */
    async drawing(prompt, onProgress) {
      const { result: id } = await (await post('/mj/submit/imagine', { prompt })).json()
      return (await untilEnded(`/mj/task/${id}/fetch`, onProgress)).imageUrl
    },
    /** Gives an answer word by word. */
    async *text(prompt) {
      const messages = [{ role: 'user', content: prompt }]
      const { body } = await post('/v1/chat/completions', { model: 'sim-text-1', stream: true, messages })
      let rest = ''
      for await (const chunk of iterated(body.pipeThrough(new TextDecoderStream()))) {
        const events = (rest + chunk).split('\n\n')
        rest = events.pop()
        for (const event of events) {
          const data = event.replace(/^data: /, '')
          if (data !== '[DONE]') yield JSON.parse(data).choices[0]?.delta.content ?? ''
        }
      }
    },
  }
}

/** Not every browser can iterate a stream. */
async function* iterated(stream) {
  const reader = stream.getReader()
  for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value
}

function pause(delayMs) {
  return new Promise((resolve) => setTimeout(resolve, delayMs))
}
