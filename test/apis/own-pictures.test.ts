import { expect, it } from 'vitest'
import { describeTransports, type OpenTransport } from '../support/transports.ts'
import { drawn, postDrawing } from '../support/drawing.ts'
import { submitVideo } from '../support/video.ts'

const prompt = 'a red lighthouse at dusk'

/** A picture of the simulator, as a client downloads it and sends it again. */
async function ownPicture(transport: OpenTransport): Promise<string> {
  const { imageUrl } = await drawn(transport, 'submit/imagine', { prompt })
  const image = await transport.call(new URL(imageUrl).pathname)
  return `data:image/png;base64,${Buffer.from(await image.arrayBuffer()).toString('base64')}`
}

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

  it('describes a picture of its own by the prompt that made it', async () => {
    await using transport = await open()
    const { properties } = await drawn(transport, 'submit/describe', { base64: await ownPicture(transport) })
    expect(properties?.finalPrompt).toContain(prompt)
  })

  it('knows it again after it was uploaded', async () => {
    await using transport = await open()
    const fields = { base64Array: [await ownPicture(transport)] }
    const response = await postDrawing(transport, 'submit/upload-discord-images', fields)
    const { result } = (await response.json()) as { result: string[] }
    const { properties } = await drawn(transport, 'submit/describe', { link: result[0] })
    expect(properties?.finalPrompt).toContain(prompt)
  })

  it('moves what it shows in a video of it', async () => {
    await using transport = await open()
    const image = await ownPicture(transport)
    const id = await submitVideo(transport, { prompt: 'it moves', image })
    const { request } = transport.sim.core.tasks.find(id)!.record
    expect(request['imageDrawing']).toMatchObject({ base: { kind: 'imagine', prompt } })
  })
})
