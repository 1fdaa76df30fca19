import { expect, it } from 'vitest'
import { describeTransports } from '../support/transports.ts'
import { drawn } from '../support/drawing.ts'

const prompt = 'a red lighthouse at dusk'

describeTransports((open) => {
  it('sends an image with as many pixels each way as the query says, from 16 to its own', async () => {
    const sides = {
      'width=abc': 1024,
      'width=': 1024,
      'width=0': 1024,
      'width=-5': 1024,
      'width=%20': 1024,
      'width=1e999': 1024,
      'height=&width=32': 32,
      'width=1': 16,
      'width=9999': 1024,
    }
    await using transport = await open()
    const { imageUrl } = await drawn(transport, 'submit/imagine', { prompt })
    for (const [query, side] of Object.entries(sides)) {
      const image = await transport.call(`${new URL(imageUrl).pathname}?${query}`)
      const view = new DataView(await image.arrayBuffer())
      expect([view.getUint32(16), view.getUint32(20)], query).toEqual([side, side])
    }
  })
})
