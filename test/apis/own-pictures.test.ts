import { expect, it } from 'vitest'
import { describeDoors, type OpenDoor } from '../support/doors.ts'
import { drawn, postDrawing } from '../support/drawing.ts'
import { submitVideo } from '../support/video.ts'

const prompt = 'a red lighthouse at dusk'

/** A picture of the simulator, as a client downloads it and sends it again. */
async function ownPicture(door: OpenDoor): Promise<string> {
  const { imageUrl } = await drawn(door, 'submit/imagine', { prompt })
  const image = await door.call(new URL(imageUrl).pathname)
  return `data:image/png;base64,${Buffer.from(await image.arrayBuffer()).toString('base64')}`
}

describeDoors((open) => {
  it('describes a picture of its own by the prompt that made it', async () => {
    await using door = await open()
    const { properties } = await drawn(door, 'submit/describe', { base64: await ownPicture(door) })
    expect(properties?.finalPrompt).toContain(prompt)
  })

  it('knows it again after it was uploaded', async () => {
    await using door = await open()
    const fields = { base64Array: [await ownPicture(door)] }
    const response = await postDrawing(door, 'submit/upload-discord-images', fields)
    const { result } = (await response.json()) as { result: string[] }
    const { properties } = await drawn(door, 'submit/describe', { link: result[0] })
    expect(properties?.finalPrompt).toContain(prompt)
  })

  it('moves what it shows in a video of it', async () => {
    await using door = await open()
    const image = await ownPicture(door)
    const id = await submitVideo(door, { prompt: 'it moves', image })
    const { request } = door.sim.core.tasks.find(id)!.record
    expect(request['imageDrawing']).toMatchObject({ base: { kind: 'imagine', prompt } })
  })
})
