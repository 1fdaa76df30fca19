import { expect, it } from 'vitest'
import { describeDoors, type OpenDoor } from '../support/doors.ts'
import { getContent, pollVideo, submitVideo } from '../support/video.ts'

async function video(door: OpenDoor, model: string): Promise<string> {
  const id = await submitVideo(door, { model })
  while ((await pollVideo(door, id)).status !== 'SUCCESS');
  return Buffer.from(await (await getContent(door, id)).arrayBuffer()).toString('latin1')
}

describeDoors((open) => {
  it('has the sound that the config names, and each model its own', async () => {
    const models = [
      { name: 'video-1', kind: 'video' },
      { name: 'silent-1', kind: 'video', audio: 'none' },
      { name: 'tone-1', kind: 'video', audio: 'tone' },
    ] as const
    await using door = await open({ audio: 'ambience', models })
    const files = await Promise.all(models.map(({ name }) => video(door, name)))
    expect(files.map((file) => file.includes('mp4a'))).toEqual([true, false, true])
    expect(files.map((file) => /"audio":"(\w+)"/.exec(file)?.[1])).toEqual(['ambience', undefined, 'tone'])
  })

  it('has no sound by default', async () => {
    await using door = await open()
    expect(await video(door, 'video-1')).not.toContain('mp4a')
  })

  it('makes test cards in quality card', async () => {
    await using door = await open({ quality: 'card' })
    const file = await video(door, 'video-1')
    expect(file).toContain('"quality":"card"')
    expect(file).toContain('mp4a')
  })
})
