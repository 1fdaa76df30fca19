import { expect, it } from 'vitest'
import { draw } from '../support/drawing.ts'
import { describeTransports, type OpenTransport } from '../support/transports.ts'
import { submitVideo } from '../support/video.ts'

const look = (transport: OpenTransport, id: string, what: string, headers = {}): Promise<Response> =>
  transport.call(`/_greenroom/tasks/${id}/${what}`, { headers })

/** Width and height of a WebP without alpha, or of a PNG. */
function sizeOf(bytes: Uint8Array): [number, number] {
  const view = new DataView(bytes.buffer, bytes.byteOffset)
  if (bytes[0] === 0x89) return [view.getUint32(16), view.getUint32(20)]
  return [view.getUint16(26, true) & 0x3fff, view.getUint16(28, true) & 0x3fff]
}

describeTransports((open) => {
  it('shows what tasks made, and a small picture of it, as no download', async () => {
    await using transport = await open({
      clock: { mode: 'manual' },
    })
    const { sim } = transport
    const video = await submitVideo(transport)
    const drawing = (await draw(transport, 'submit/imagine', { prompt: 'a kite' })).result
    await sim.clock.advance('1h')
    const [journal, usage] = [sim.journal(), sim.usage()]

    const clip = await look(transport, video, 'media')
    expect([clip.status, clip.headers.get('content-type')]).toEqual([200, 'video/mp4'])
    const bytes = new Uint8Array(await clip.arrayBuffer())
    expect(new TextDecoder().decode(bytes.subarray(4, 8))).toBe('ftyp')
    const part = await look(transport, video, 'media', { range: 'bytes=0-9' })
    expect([part.status, (await part.arrayBuffer()).byteLength]).toEqual([206, 10])

    const poster = await look(transport, video, 'poster?w=160')
    expect([poster.status, poster.headers.get('content-type')]).toEqual([200, 'image/webp'])
    const size = sizeOf(new Uint8Array(await poster.arrayBuffer()))
    expect(Math.max(...size)).toBeLessThanOrEqual(160)

    const image = await look(transport, drawing, 'media')
    expect(sizeOf(new Uint8Array(await image.arrayBuffer()))).toEqual([1024, 1024])
    const small = await look(transport, drawing, 'poster')
    expect(sizeOf(new Uint8Array(await small.arrayBuffer()))).toEqual([320, 320])
    const again = await look(transport, drawing, 'poster', { 'if-none-match': small.headers.get('etag')! })
    expect(again.status).toBe(304)

    expect([sim.journal(), sim.usage()]).toEqual([journal, usage])
    expect(sim.watch().audit().downloads.times).toBe(0)
  })

  it('shows nothing before the end, of a failure, and of what is no task', async () => {
    await using transport = await open({ clock: { mode: 'manual' } })
    const id = await submitVideo(transport, { prompt: 'a kite [[fail: no wind]]' })
    const message = async (what: string, task = id): Promise<[number, string]> => {
      const response = await look(transport, task, what)
      return [response.status, ((await response.json()) as { error: { message: string } }).error.message]
    }
    expect(await message('media')).toEqual([
      409,
      `Task ${id} is queued: what it makes can be seen when it has ended.`,
    ])
    expect((await message('poster'))[0]).toBe(409)
    await transport.sim.clock.advance('1h')
    expect(await message('media')).toEqual([404, `Task ${id} ended as FAILURE, without a result.`])
    expect((await message('poster?w=wide', id))[0]).toBe(400)
    expect((await message('media', 'task_x'))[0]).toBe(404)
  })
})
