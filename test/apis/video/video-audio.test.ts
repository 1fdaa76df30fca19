import { expect, it } from 'vitest'
import { describeTransports, type OpenTransport } from '../../support/transports.ts'
import { getContent, pollVideo, submitVideo } from '../../support/video.ts'

async function video(transport: OpenTransport, model: string): Promise<string> {
  const id = await submitVideo(transport, { model })
  while ((await pollVideo(transport, id)).status !== 'SUCCESS');
  return Buffer.from(await (await getContent(transport, id)).arrayBuffer()).toString('latin1')
}

describeTransports((open) => {
  it('has the sound that the config names, and each model its own', async () => {
    const models = [
      { name: 'video-1', kind: 'video' },
      { name: 'silent-1', kind: 'video', audio: 'none' },
      { name: 'tone-1', kind: 'video', audio: 'tone' },
    ] as const
    await using transport = await open({ audio: 'ambience', models })
    const files = await Promise.all(models.map(({ name }) => video(transport, name)))
    expect(files.map((file) => file.includes('mp4a'))).toEqual([true, false, true])
    expect(files.map((file) => /"audio":"(\w+)"/.exec(file)?.[1])).toEqual(['ambience', undefined, 'tone'])
  })

  it('has no sound by default', async () => {
    await using transport = await open()
    expect(await video(transport, 'video-1')).not.toContain('mp4a')
  })
})
