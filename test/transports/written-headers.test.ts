import { getResponse, http } from 'msw'
import { expect, it, onTestFinished, vi } from 'vitest'
import { createSimulator } from '../../src/index.ts'

const url = 'https://gateway.example/v1/video/generations'
const init = {
  method: 'POST',
  headers: { Authorization: 'Bearer sk-page', 'Content-Type': 'application/json' },
  body: JSON.stringify({ model: 'video-1', prompt: 'a kite' }),
}

/** Lets headers list their names as happy-dom does: as the client wrote them. */
function imitateHappyDom(): void {
  const { entries } = Headers.prototype
  const list = vi.spyOn(Headers.prototype, Symbol.iterator).mockImplementation(function* (this: Headers) {
    for (const [name, value] of entries.call(this))
      yield [name.replaceAll(/\b[a-z]/g, (letter) => letter.toUpperCase()), value]
  } as never)
  onTestFinished(() => list.mockRestore())
}

it('finds the key and the media type in headers that keep the case of the client', async () => {
  await using sim = createSimulator({ cacheDir: false })
  const handlers = sim.handlers({ baseUrl: 'https://gateway.example', http })
  imitateHappyDom()
  const responses = [await sim.fetch(url, init), await getResponse(handlers, new Request(url, init))]
  expect(responses.map((response) => response?.status)).toEqual([200, 200])
})
