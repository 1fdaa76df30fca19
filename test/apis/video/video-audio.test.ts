import { expect, it } from 'vitest'
import { describeTransports, type OpenTransport } from '../../support/transports.ts'
import { getContent, pollVideo, submitVideo } from '../../support/video.ts'

async function video(transport: OpenTransport, model: string): Promise<string> {
  const id = await submitVideo(transport, { model })
  while ((await pollVideo(transport, id)).status !== 'SUCCESS');
  return Buffer.from(await (await getContent(transport, id)).arrayBuffer()).toString('latin1')
}

describeTransports((open) => {
  it.each(['tone', 'ambience'] as const)('has the sound that the config names: %s', async (audio) => {
    await using transport = await open({ audio })
    const file = await video(transport, 'video-1')
    expect(file).toContain('mp4a')
    expect(file).toContain(`"audio":"${audio}"`)
  })

  it('has no sound by default', async () => {
    await using transport = await open()
    expect(await video(transport, 'video-1')).not.toContain('mp4a')
  })
})
