import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { folder, program } from '../media/folders.ts'
import { describeTransports, type OpenTransport } from '../support/transports.ts'
import { getContent, submitVideo } from '../support/video.ts'

/** An ffmpeg that notes the size of each clip, waits until a file is there, and then fails. */
async function gatedEncoder(files: { path: string }) {
  const [log, gate] = [join(files.path, 'log'), join(files.path, 'gate')]
  const work = `echo "$*" >> "${log}"; while [ ! -e "${gate}" ]; do sleep 0.05; done; exit 0`
  const ffmpeg = await program(
    files,
    'ffmpeg',
    `case "$*" in *-encoders*) echo libx264;; *-version*) echo ffmpeg version 0;; *) ${work};; esac`,
  )
  return {
    ffmpeg,
    open: () => writeFile(gate, ''),
    /** The sizes of the clips that it has begun. A clip that fails is begun twice. */
    begun: async () => new Set((await readFile(log, 'utf8').catch(() => '')).match(/\d+x\d+/g)),
  }
}

async function finishedVideo(transport: OpenTransport, size: string): Promise<string> {
  const id = await submitVideo(transport, { size, prompt: `a kite of ${size}` })
  await transport.sim.clock.advanceUntil(id, 'SUCCESS')
  return id
}

describeTransports((open) => {
  it.skipIf(process.platform === 'win32')(
    'does not render a clip whose client has left the queue, and finishes one that it has begun',
    async () => {
      await using files = await folder()
      const encoder = await gatedEncoder(files)
      await using transport = await open({
        clock: { mode: 'manual' },
        quality: 'full',
        ffmpeg: encoder.ffmpeg,
      })
      const [first, second, third] = [
        await finishedVideo(transport, '64x64'),
        await finishedVideo(transport, '96x96'),
        await finishedVideo(transport, '128x128'),
      ]
      const leaving = new AbortController()
      const running = getContent(transport, first, { signal: leaving.signal }).catch(() => undefined)
      const other = getContent(transport, second).catch(() => undefined)
      await expect.poll(async () => (await encoder.begun()).size, { timeout: 20_000 }).toBe(2)
      const queued = getContent(transport, third, { signal: leaving.signal }).catch(() => undefined)
      await expect.poll(() => transport.sim.journal({ operation: 'video.content' }).length).toBe(3)
      // The render enters the queue a few turns after the request was admitted.
      for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve))

      leaving.abort()
      await Promise.all([running, queued])
      const outcomes = () =>
        transport.sim.journal({ operation: 'video.content' }).map(({ outcome }) => outcome)
      await expect.poll(outcomes).toEqual(['aborted', 'open', 'aborted'])
      await encoder.open()
      await other

      expect(await encoder.begun()).toEqual(new Set(['64x64', '96x96']))
      await getContent(transport, third)
      expect(await encoder.begun()).toContain('128x128')
    },
    60_000,
  )
})
