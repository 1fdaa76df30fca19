import { expect } from 'vitest'
import type { nodeMedia } from '../../src/media/node.ts'
import { ImageRefused } from '../../src/media/source.ts'

/** Takes what is a picture, and refuses everything else in the same way. */
export async function receive(media: ReturnType<typeof nodeMedia>, bytes: Uint8Array): Promise<string> {
  try {
    const { width, height } = await media.receiveImage(bytes)
    expect(width * height).toBeGreaterThan(0)
    return 'taken'
  } catch (error) {
    expect(error).toBeInstanceOf(ImageRefused)
    const { message } = error as Error
    expect(message).not.toMatch(/\n|\/src\/|node_modules/)
    return message
  }
}
